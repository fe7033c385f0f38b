// Keys of the marking page. Each one presses a button or a link that stands on the page, or goes to
// a field: without this script the same buttons are there to be pressed.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey) return;
  const field = event.target.closest("input, textarea, select");
  if (field) inField(event, field);
  else if (!event.ctrlKey) onPage(event);
});

function inField(event, field) {
  if (event.key === "Escape") field.blur();
  if (event.key === "Enter" && event.ctrlKey) field.form?.querySelector("[data-save]")?.click();
}

function onPage(event) {
  const page = document.getElementById("marking");
  // Until the next answer is here, a key would mark this one again.
  if (!page || page.classList.contains("htmx-request") || page.querySelector(".htmx-request")) return;
  const key = CSS.escape(event.key);
  const pressed = page.querySelector(`[data-key="${key}"]`);
  const focused = page.querySelector(`[data-focus-key="${key}"]`);
  if (!pressed && !focused) return;
  event.preventDefault();
  if (pressed) pressed.click();
  else {
    focused.focus();
    focused.select();
  }
}
