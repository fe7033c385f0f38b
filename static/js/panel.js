// The lab panel where it has no room beside the text: a sheet that comes up from the bar below.
// Without this the bar is a link to the panel, which then stands below the text.
export function bindPanel() {
  const open = document.querySelector("[data-sheet-open]");
  const panel = document.querySelector(".lab-panel");
  if (!open || !panel || open.dataset.bound) return;
  open.dataset.bound = "";
  open.setAttribute("role", "button");
  open.setAttribute("aria-expanded", "false");
  open.addEventListener("click", (event) => {
    event.preventDefault();
    show(true);
  });
  open.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    show(true);
  });
  for (const form of document.querySelectorAll("[data-panel-form]")) form.addEventListener("submit", choose);
  panel.querySelector("[data-sheet-close]").addEventListener("click", () => show(false));
  panel.addEventListener("click", (event) => { if (event.target.closest("a")) show(false); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") show(false); });
  document.addEventListener("click", (event) => {
    if (!panel.contains(event.target) && !open.contains(event.target)) show(false);
  });

  function show(isOpen) {
    const root = document.documentElement;
    if (root.classList.contains("sheet-open") === isOpen) return;
    root.classList.toggle("sheet-open", isOpen);
    open.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) panel.querySelector("[data-sheet-close]").focus();
    else if (panel.contains(document.activeElement)) open.focus();
  }
}

// Hidden or shown on a wide screen: at once, and kept with the reader's other choices.
function choose(event) {
  event.preventDefault();
  const { action } = event.currentTarget;
  const body = new FormData(event.currentTarget, event.submitter);
  document.documentElement.dataset.panel = body.get("panel");
  fetch(action, { method: "POST", body, redirect: "manual", keepalive: true });
  const other = [...document.querySelectorAll("[data-panel-form] button")].find((button) => button !== event.submitter);
  other.focus();
}
