// The replay of a recording: asciinema's player, and buttons around it that jump and speed up.
// Its long pauses are cut short by the site, so that every moment on the page is the player's own.
const place = document.querySelector("[data-replay]");
if (place) start(place);

function start(place) {
  let speed = 1;
  let player = make(Number(place.dataset.start ?? 0));

  // By a jump: a player that is told to start there shows nothing of what came before. While it
  // loads by itself it hears of no jump.
  function make(at) {
    place.replaceChildren();
    const made = AsciinemaPlayer.create(place.dataset.replay, place, {
      speed, preload: !at, fit: "both", theme: "auto/asciinema", ...markers(),
    });
    if (at) made.seek(at);
    return made;
  }

  document.querySelector("[data-replay-speed]").addEventListener("change", (event) => {
    speed = Number(event.target.value);
    const at = player.getCurrentTime();
    player.dispose();
    player = make(at);
    player.play();
  });
  let isPlaying = false;
  document.querySelector("[data-replay-play]").addEventListener("click", () => {
    isPlaying = !isPlaying;
    if (isPlaying) player.play();
    else player.pause();
  });
  for (const button of document.querySelectorAll("[data-seek]")) {
    button.addEventListener("click", () => {
      player.seek(Number(button.dataset.seek));
      place.scrollIntoView({ block: "nearest" });
    });
  }
  globalThis.replayPlayer = () => player;
}

// On the player's own line of time: the runs, as their receipts date them.
function markers() {
  const runs = [...document.querySelectorAll("[data-marker]")];
  const marks = runs.map((run) => [Number(run.dataset.seek), run.dataset.marker]);
  return marks.length ? { markers: marks } : {};
}
