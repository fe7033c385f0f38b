// Requests that came to nothing, said in words beside what was pressed or typed. Without this the
// page would go on saying "saved", or show the log-in page inside of a table.
import { words } from "./words.js";

export function bindFailures() {
  document.addEventListener("input", (event) => forgetSaved(event.target));
  document.addEventListener("htmx:beforeSwap", refuseOtherPages);
  document.addEventListener("htmx:sendError", (event) => say(event.detail.elt, words.gone));
  document.addEventListener("htmx:responseError", (event) => {
    const { status } = event.detail.xhr;
    if (status === 403) renewToken();
    say(event.detail.elt, { 403: words.tooOld, 507: words.full }[status] ?? words.broken);
  });
  window.addEventListener("online", saveAgain);
  window.addEventListener("focus", saveAgain);
  setInterval(saveAgain, 5000);
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
  say(requestConfig.elt, words.loggedOut);
}

function say(element, reason) {
  if (element.matches("[data-autosave]")) show(element, `${words.notSaved} ${reason}`, true);
  else alertIn(element.closest("[data-block]"), `${words.nothingDone} ${reason}`);
}

function show(cell, words, isRefused) {
  const status = document.getElementById(cell.getAttribute("aria-describedby"));
  if (status.textContent !== words) status.textContent = words;
  status.classList.toggle("gap-status-refused", isRefused);
  status.toggleAttribute("data-try-again", isRefused);
}

function alertIn(block, words) {
  if (!block) return;
  const alert = block.querySelector(".refusal") ?? document.createElement("p");
  alert.className = "refusal";
  alert.setAttribute("role", "alert");
  alert.textContent = words;
  block.querySelector(".command").after(alert);
}

// Logging in makes a new token: this page learns it from a fresh copy of itself.
async function renewToken() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const headers = page.body.getAttribute("hx-headers");
  if (headers) document.body.setAttribute("hx-headers", headers);
  const token = page.querySelector("[name=csrfmiddlewaretoken]")?.value;
  if (!token) return;
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = token;
}

function saveAgain() {
  for (const status of document.querySelectorAll("[data-try-again]")) {
    htmx.trigger(document.querySelector(`[aria-describedby="${status.id}"]`), "change");
  }
}
