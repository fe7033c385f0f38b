// Where HTML and htmx end: run streams, copying, and the reader's choices without a reload.
import { bindRuns } from "./runs.js";
import { bindCopyButtons } from "./copy.js";
import { bindReadingForm } from "./reading.js";

function bind(root) {
  bindRuns(root);
  bindCopyButtons(root);
  bindReadingForm(root);
}

bind(document);
document.addEventListener("htmx:load", (event) => bind(event.target));
