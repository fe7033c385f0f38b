// Keys: how one leaves the terminal, copies and pastes, and the row of keys that phones lack.
const SENT = { Tab: "\t", Escape: "\x1b", Left: "D", Up: "A", Down: "B", Right: "C" };

const HELD_MS = 400;

// Escape waits a moment for what follows: with Tab it leaves, and the shell never hears of it.
export function bindKeys(term, root, { type, say }) {
  let isAfterEscape = false;
  let held;
  const giveEscape = () => {
    if (held) type("\x1b");
    held = clearTimeout(held);
  };
  term.attachCustomKeyEventHandler((event) => {
    if (event.type !== "keydown" || event.key === "Shift") return true;
    const leaves = isAfterEscape && event.key === "Tab";
    isAfterEscape = event.key === "Escape";
    if (leaves) {
      held = clearTimeout(held);
      return false;
    }
    giveEscape();
    if (!isAfterEscape) return !isForTheBrowser(term, event);
    held = setTimeout(giveEscape, HELD_MS);
    say(root.dataset.sayLeave);
    return false;
  });
  bindRow(term, root, type);
}

// Ctrl-C copies where something is selected; Ctrl-V pastes, as in every other field.
function isForTheBrowser(term, event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const key = event.key.toLowerCase();
  if (key === "v") return true;
  return key === "c" && (term.hasSelection() || event.shiftKey);
}

function bindRow(term, root, type) {
  const control = root.querySelector("[data-key=Control]");
  if (!control) return;
  const setControl = (isOn) => control.setAttribute("aria-pressed", String(isOn));
  for (const button of root.querySelectorAll("[data-key]")) {
    button.addEventListener("pointerdown", (event) => event.preventDefault());  // keeps the focus
    button.addEventListener("click", () => {
      if (button === control) setControl(control.getAttribute("aria-pressed") !== "true");
      else type(sequence(term, button.dataset.key));
      term.focus();
    });
  }
  // The next letter from the phone's own keyboard, with Ctrl held.
  root.terminalFilter = (data) => {
    if (control.getAttribute("aria-pressed") !== "true" || data.length !== 1) return data;
    setControl(false);
    return String.fromCharCode(data.toUpperCase().charCodeAt(0) & 0x1f);
  };
}

function sequence(term, key) {
  const sent = SENT[key];
  if (sent.length > 1 || sent < " ") return sent;
  return (term.modes.applicationCursorKeysMode ? "\x1bO" : "\x1b[") + sent;
}

// What the emulator itself answers to a program's question. Of several tabs one answers.
export function isReport(data) {
  return /^\x1b(\[[?>=\d;]*[Rcnty]|\[[IO]|\]|P)/.test(data);
}
