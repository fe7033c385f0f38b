// Follows a run's stream: puts lines where they belong, says its state, and reloads its block at
// the end. A patch names the line it starts from, so a repeated one changes nothing.
export function bindRuns(root) {
  for (const run of root.querySelectorAll("[data-run-stream]:not([data-bound])")) {
    run.dataset.bound = "";
    follow(run);
  }
}

function follow(run) {
  const source = new EventSource(run.dataset.runStream);
  const clock = startClock(run);
  source.addEventListener("lines", (event) => applyPatch(run, JSON.parse(event.data)));
  source.addEventListener("state", (event) => showState(run, JSON.parse(event.data)));
  source.addEventListener("over", () => {
    stop();
    htmx.trigger(run.closest("[data-block]") ?? run, "run-over");
  });
  source.addEventListener("error", () => {
    // It comes back by itself, unless the site has said no.
    if (source.readyState === EventSource.CLOSED) showLost(run);
  });
  const watch = setInterval(() => { if (!run.isConnected) stop(); }, 1000);
  function stop() {
    source.close();
    clearInterval(clock);
    clearInterval(watch);
  }
}

function applyPatch(run, patch) {
  const output = run.querySelector("[data-run-output]");
  const wasAtEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 8;
  if (patch.fold) applyFold(output, patch.fold);
  while (output.children.length > patch.from) output.lastElementChild.remove();
  output.insertAdjacentHTML("beforeend", patch.lines.join(""));
  if (wasAtEnd) output.scrollTop = output.scrollHeight;
}

function applyFold(output, fold) {
  for (let i = 0; i < fold.drop; i++) output.children[fold.at].remove();
  const after = output.children[fold.at];
  if (after) after.insertAdjacentHTML("beforebegin", fold.html);
  else output.insertAdjacentHTML("beforeend", fold.html);
}

function showState(run, state) {
  run.className = `run run-${state.state}`;
  run.querySelector("[data-run-words]").textContent = state.words;
}

function showLost(run) {
  run.querySelector("[data-run-words]").textContent = "Reload this page to see how it goes on.";
}

function startClock(run) {
  const clock = run.querySelector("[data-run-clock]");
  const startedAt = Date.parse(run.dataset.started ?? "") || Date.now();
  return setInterval(() => {
    clock.textContent = `${Math.max(0, Math.round((Date.now() - startedAt) / 1000))} s`;
  }, 1000);
}
