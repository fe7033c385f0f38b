// Who looks in on this terminal. The student sees them, can end it, and can lend the keyboard.
export function bindWatchers(root, socket) {
  const place = root.querySelector("[data-terminal-watchers]");
  if (!place) return;
  const template = place.querySelector("template");
  const list = place.querySelector("ul");
  root.addEventListener("watchers", ({ detail: watchers }) => {
    place.hidden = watchers.length === 0;
    list.replaceChildren(...watchers.map((watcher) => row(template, watcher, socket)));
  });
}

function row(template, watcher, socket) {
  const item = template.content.cloneNode(true).firstElementChild;
  item.querySelector("[data-name]").textContent = watcher.name;
  const lend = item.querySelector("[data-lend]");
  if (!lend) return item;
  lend.textContent = watcher.types ? lend.dataset.takeBack : lend.dataset.lend;
  lend.addEventListener("click", () => {
    socket.tell({ lend: watcher.name, may_type: !watcher.types });
  });
  item.querySelector("[data-end]").addEventListener("click", () => {
    socket.tell({ send_away: watcher.name });
  });
  return item;
}
