// The terminal beside a lesson: hidden until it is asked for, and nothing of it loaded before.
const dock = document.querySelector("[data-terminal-dock]");
const toggle = dock.querySelector("[data-terminal-toggle]");
const panel = dock.querySelector(".terminal-panel");
const root = dock.querySelector("[data-terminal]");
const runsHere = dock.querySelector("[data-terminal-runs]");

toggle.hidden = false;
toggle.addEventListener("click", () => show(panel.hidden));
dock.querySelector("[data-terminal-hide]").addEventListener("click", () => show(false));
runsHere.checked = localStorage.getItem("terminal-runs") === "1";
runsHere.addEventListener("change", () => {
  localStorage.setItem("terminal-runs", runsHere.checked ? "1" : "");
});
document.addEventListener("submit", typeInstead, true);

async function show(isShown) {
  panel.hidden = !isShown;
  toggle.setAttribute("aria-expanded", String(isShown));
  document.documentElement.classList.toggle("terminal-open", isShown);
  if (!isShown) {
    toggle.focus();
    return undefined;
  }
  const { openTerminal } = await import("./terminal.js");
  const terminal = await openTerminal(root);
  terminal.takeSize();
  terminal.term.focus();
  return terminal;
}

// Run types the block's command into the shell, where the student chose so: the recording is then
// its record, with a mark to jump to.
async function typeInstead(event) {
  const block = event.target.closest("[data-block]");
  if (panel.hidden || !runsHere.checked || !block || !event.target.querySelector(".button-run")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const terminal = await show(true);
  const command = block.querySelector(".command-text code").textContent.trim();
  terminal.socket.tell({ mark: block.querySelector(".block-title").textContent.trim() });
  terminal.term.paste(command);
  terminal.type("\r");
}
