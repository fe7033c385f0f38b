// The reader's choices, shown at once; the server keeps them and renders them from then on.
export function bindReadingForm(root) {
  for (const form of root.querySelectorAll("[data-reading-form]:not([data-bound])")) {
    form.dataset.bound = "";
    form.addEventListener("change", () => applyAndKeep(form));
  }
}

function applyAndKeep(form) {
  const choices = new FormData(form);
  for (const name of ["paper", "contrast", "size"]) {
    document.documentElement.dataset[name] = choices.get(name);
  }
  fetch(form.action, { method: "POST", body: choices, redirect: "manual" });
}
