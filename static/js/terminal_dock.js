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

// With a press of Run goes along which shell is to be given its line, where the student chose so.
function typeInstead(event) {
  const form = event.target;
  const block = form.closest("[data-block]");
  if (!block || !form.querySelector(".button-run")) return;
  form.querySelector("[name=terminal]")?.remove();
  if (panel.hidden || !runsHere.checked) return;
  const socket = root.terminal?.socket;
  if (!socket?.session) {
    event.preventDefault();
    event.stopImmediatePropagation();
    root.querySelector("[data-terminal-status]").textContent = root.dataset.sayNotTyped;
    return;
  }
  socket.tell({ mark: block.querySelector(".block-title").textContent.trim() });
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "terminal", value: socket.session });
  form.append(field);
}
