// Copy buttons: hidden until the browser is known to have a clipboard.
import { words } from "./words.js";

export function bindCopyButtons(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("[data-copy][hidden]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const text = button.closest(".command").querySelector("code").textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = words.copied;
  } catch {
    button.textContent = words.copyByHand;
  }
  setTimeout(() => { button.textContent = words.copy; }, 2000);
}
