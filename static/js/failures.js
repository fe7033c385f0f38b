// Requests that came to nothing, said in words beside what was pressed or typed. Without this the
// page would go on saying "saved", or show the log-in page inside of a table.
const REASONS = {
  gone: "the site does not answer. Look at your connection.",
  loggedOut: "you are logged out. Log in in another tab, then reload this page.",
  tooOld: "this page is too old. Reload it, then try again.",
  broken: "something broke on our side. Try again in a moment.",
};

export function bindFailures() {
  document.addEventListener("input", (event) => forgetSaved(event.target));
  document.addEventListener("htmx:beforeSwap", refuseOtherPages);
  document.addEventListener("htmx:sendError", (event) => say(event.detail.elt, REASONS.gone));
  document.addEventListener("htmx:responseError", (event) => {
    say(event.detail.elt, event.detail.xhr.status === 403 ? REASONS.tooOld : REASONS.broken);
  });
  window.addEventListener("online", saveAgain);
}

function forgetSaved(cell) {
  if (cell.matches("[data-autosave]")) show(cell, "", false);
}

// Only the log-in page ever answers in another's place.
function refuseOtherPages(event) {
  const { xhr, requestConfig } = event.detail;
  const asked = new URL(requestConfig.path, document.baseURI).pathname;
  if (new URL(xhr.responseURL).pathname === asked) return;
  event.detail.shouldSwap = false;
  say(requestConfig.elt, REASONS.loggedOut);
}

function say(element, reason) {
  if (element.matches("[data-autosave]")) show(element, `Not saved: ${reason}`, true);
  else alertIn(element.closest("[data-block]"), `Nothing was done: ${reason}`);
}

function show(cell, words, isRefused) {
  const status = document.getElementById(cell.getAttribute("aria-describedby"));
  status.textContent = words;
  status.classList.toggle("gap-status-refused", isRefused);
}

function alertIn(block, words) {
  if (!block) return;
  const alert = block.querySelector(".refusal") ?? document.createElement("p");
  alert.className = "refusal";
  alert.setAttribute("role", "alert");
  alert.textContent = words;
  block.querySelector(".command").after(alert);
}

function saveAgain() {
  for (const status of document.querySelectorAll(".gap-status-refused")) {
    htmx.trigger(document.querySelector(`[aria-describedby="${status.id}"]`), "change");
  }
}
