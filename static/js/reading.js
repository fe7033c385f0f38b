// The reader's choices, shown at once; the server keeps them and renders them from then on.
let kept = Promise.resolve();

export function bindReadingForm(root) {
  for (const form of root.querySelectorAll("[data-reading-form]:not([data-bound])")) {
    form.dataset.bound = "";
    form.addEventListener("change", (event) => applyAndKeep(form, event.target.name));
    const sheet = form.closest("details");
    if (sheet) closeFromOutside(sheet);
  }
}

function applyAndKeep(form, changed) {
  const choices = new FormData(form);
  for (const [name, value] of choices) {
    if (name in document.documentElement.dataset) document.documentElement.dataset[name] = value;
  }
  // One after the other: whichever answer comes last sets the cookie.
  kept = kept.then(() => send(form.action, choices)).catch(() => {});
  // Another language is other text, which only the server has.
  if (changed === "language") kept.then(() => location.reload());
}

function send(address, choices) {
  return fetch(address, { method: "POST", body: choices, redirect: "manual", keepalive: true });
}

function closeFromOutside(sheet) {
  sheet.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !sheet.open) return;
    sheet.open = false;
    sheet.querySelector("summary").focus();
  });
  document.addEventListener("click", (event) => {
    if (!sheet.contains(event.target)) sheet.open = false;
  });
}
