// Where HTML and htmx end: run streams, copying, failed requests, and the reader's choices
// without a reload.
import { bindRuns } from "./runs.js";
import { bindCopyButtons } from "./copy.js";
import { bindReadingForm } from "./reading.js";
import { bindFailures } from "./failures.js";

function bind(root) {
  bindRuns(root);
  bindCopyButtons(root);
  bindReadingForm(root);
}

bind(document);
bindFailures();
// From the parent on: what was put in may itself be what is to be bound.
document.addEventListener("htmx:load", (event) => bind(event.target.parentElement ?? document));
