// Follows a run's stream: puts lines where they belong, says its state, and reloads its block at
// the end. A patch names the line it starts from, so a repeated one changes nothing.
import { words } from "./words.js";

export function bindRuns(root) {
  for (const run of root.querySelectorAll("[data-run-stream]:not([data-bound])")) {
    run.dataset.bound = "";
    follow(run);
  }
}

function follow(run) {
  const source = new EventSource(run.dataset.runStream);
  const clock = startClock(run);
  clock.set(run.dataset.elapsed);
  source.addEventListener("lines", (event) => applyPatch(run, JSON.parse(event.data)));
  source.addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    showState(run, state);
    clock.set(state.elapsed_s);
  });
  source.addEventListener("over", () => {
    stop();
    htmx.trigger(run.closest("[data-block]") ?? run, "run-over");
  });
  source.addEventListener("left", (event) => {
    stop();
    run.querySelector("[data-run-words]").textContent = JSON.parse(event.data).words;
  });
  source.addEventListener("error", () => {
    // It comes back by itself, unless the site has said no.
    if (source.readyState === EventSource.CLOSED) showLost(run);
  });
  const watch = setInterval(() => { if (!run.isConnected) stop(); }, 1000);
  function stop() {
    source.close();
    clock.stop();
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
  run.querySelector("[data-run-words]").textContent = words.reloadRun;
}

// Seconds since the run began, as the site says: this machine's own clock may be wrong.
function startClock(run) {
  const shown = run.querySelector("[data-run-clock]");
  let beganAt = NaN;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    if (!Number.isNaN(seconds)) shown.textContent = `${seconds} s`;
  }, 1000);
  return {
    set(elapsed) { if (elapsed != null) beganAt = performance.now() - 1000 * Number(elapsed); },
    stop() { clearInterval(timer); },
  };
}
