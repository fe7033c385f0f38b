// j and k lead to the next and the previous student, at the step that is being looked at.

const inView = () =>
  [...document.querySelectorAll("[data-step]")].find(
    (step) => step.getBoundingClientRect().bottom > innerHeight / 4,
  );

addEventListener("keydown", (event) => {
  const way = { j: "next", k: "previous" }[event.key];
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (!way || isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
  const isAtTop = scrollY < 200;
  const step = isAtTop ? document : (inView() ?? document);
  step.querySelector(`[data-neighbour="${way}"]`)?.click();
});
