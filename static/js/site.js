// Where HTML and htmx end: run streams, copying, failed requests, answers not saved yet, the lab's
// sheet, and the reader's choices without a reload.
import { bindRuns } from "./runs.js";
import { bindCopyButtons } from "./copy.js";
import { bindReadingForm } from "./reading.js";
import { bindFailures } from "./failures.js";
import { bindDrafts, watchDrafts } from "./drafts.js";
import { bindPanel } from "./panel.js";
import { holdStill } from "./still.js";

function bind(root) {
  bindRuns(root);
  bindCopyButtons(root);
  bindReadingForm(root);
  bindDrafts(root);
  bindPanel();
}

bind(document);
bindFailures();
holdStill();
watchDrafts();
// From the parent on: what was put in may itself be what is to be bound.
document.addEventListener("htmx:load", (event) => bind(event.target.parentElement ?? document));
