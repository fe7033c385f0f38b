// What was typed and is not known to be saved, kept in this browser until it is. It comes back
// after a lost connection, a log-in or a crash; where it differs from what was saved elsewhere
// meanwhile, both are shown and the reader chooses.
import { words } from "./words.js";

const tabs = new BroadcastChannel("answers");
const sent = new WeakMap();

export function bindDrafts(root) {
  for (const cell of root.querySelectorAll("[data-autosave]:not([data-bound])")) {
    cell.dataset.bound = "";
    bringBack(cell);
  }
}

export function watchDrafts() {
  document.addEventListener("input", (event) => { if (isCell(event.target)) keep(event.target); });
  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    if (isCell(detail.elt)) textsSentFrom(detail.elt).add(textIn(detail.requestConfig, detail.elt));
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const cell = detail.requestConfig?.elt;
    if (cell && isCell(cell)) whenAnswered(cell, textIn(detail.requestConfig, cell));
  });
  tabs.addEventListener("message", ({ data }) => savedInAnotherTab(data));
}

const isCell = (element) => element.matches?.("[data-autosave]") ?? false;
const statusOf = (cell) => document.getElementById(cell.getAttribute("aria-describedby"));
const shownOf = (cell) => document.getElementById(`${cell.id}-shown`);
const addressOf = (cell) => cell.getAttribute("hx-post");
const keyOf = (cell) => `answer ${document.body.dataset.reader} ${addressOf(cell)}`;
const textIn = (request, cell) => request.formData?.get(cell.name) ?? request.parameters[cell.name];

function textsSentFrom(cell) {
  if (!sent.has(cell)) sent.set(cell, new Set());
  return sent.get(cell);
}

function keep(cell) {
  const draft = { text: cell.value, shown: shownOf(cell).value };
  try { localStorage.setItem(keyOf(cell), JSON.stringify(draft)); } catch { /* full or forbidden */ }
}

function forget(cell) {
  try { localStorage.removeItem(keyOf(cell)); } catch { /* forbidden */ }
}

function draftOf(cell) {
  try { return JSON.parse(localStorage.getItem(keyOf(cell))); } catch { return null; }
}

function bringBack(cell) {
  const draft = draftOf(cell);
  const saved = shownOf(cell).value;
  if (!draft || draft.text === saved) { forget(cell); return; }
  cell.value = draft.text;
  if (draft.shown !== saved) { showBoth(cell, saved); return; }
  statusOf(cell).textContent = words.broughtBack;
  saveNow(cell);
}

function saveNow(cell) {
  // Before the page is whole, htmx doesn't listen yet.
  if (document.readyState === "complete") htmx.trigger(cell, "change");
  else window.addEventListener("load", () => htmx.trigger(cell, "change"), { once: true });
}

function whenAnswered(cell, text) {
  const status = statusOf(cell);
  const theirs = status.dataset.theirs;
  if (theirs !== undefined) {
    // It may be what this page itself sent when the line broke before the answer came.
    if (textsSentFrom(cell).has(theirs)) {
      shownOf(cell).value = theirs;
      saveNow(cell);
    } else {
      showBoth(cell, theirs);
    }
    return;
  }
  if (status.classList.contains("gap-status-refused")) return;
  textsSentFrom(cell).clear();
  shownOf(cell).value = text;
  if (cell.value === text) forget(cell); else keep(cell);
  tabs.postMessage({ reader: document.body.dataset.reader, address: addressOf(cell), text });
}

function savedInAnotherTab({ reader, address, text }) {
  if (reader !== document.body.dataset.reader) return;
  const cell = document.querySelector(`[data-autosave][hx-post="${CSS.escape(address)}"]`);
  if (!cell) return;
  const isTouched = cell.value !== shownOf(cell).value && cell.value !== text;
  shownOf(cell).value = text;
  if (isTouched) showBoth(cell, text);
  else cell.value = text;
}

function showBoth(cell, theirs) {
  shownOf(cell).value = theirs;
  const mine = cell.value;
  const box = document.createElement("div");
  box.className = "gap-conflict";
  box.setAttribute("role", "alert");
  box.append(paragraph(words.conflict), quoted(words.conflictTheirs, theirs), quoted(words.conflictMine, mine));
  box.append(choice(words.keepTheirs, theirs), " ", choice(words.keepMine, mine));
  cell.parentElement.querySelector(".gap-conflict")?.remove();
  statusOf(cell).textContent = "";
  statusOf(cell).classList.remove("gap-status-refused");
  statusOf(cell).after(box);

  function choice(label, text) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-quiet button-small";
    button.textContent = label;
    button.addEventListener("click", () => {
      box.remove();
      cell.value = text;
      cell.focus();
      saveNow(cell);
    });
    return button;
  }
}

function paragraph(text) {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

function quoted(label, text) {
  const element = document.createElement("blockquote");
  const name = document.createElement("strong");
  name.textContent = `${label}: `;
  element.append(name, text);
  return element;
}
