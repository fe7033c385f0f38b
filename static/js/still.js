// What was pressed stays where it is when the piece of the page around it is put in anew. Browsers
// hold on to what stands below, so that a piece taller than the window would jump.
export function holdStill() {
  let id = "", top = 0;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const held = document.activeElement;
    id = event.detail.target.contains(held) ? held.id : "";
    top = held?.getBoundingClientRect().top;
  });
  document.addEventListener("htmx:afterSwap", () => {
    const held = id && document.getElementById(id);
    if (held) scrollBy({ top: held.getBoundingClientRect().top - top, behavior: "instant" });
  });
}
