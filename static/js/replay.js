// The replay of a recording: asciinema's player, and buttons around it that jump and speed up.
const place = document.querySelector("[data-replay]");
if (place) start(place);

function start(place) {
  let speed = 1;
  let player = make(0);

  function make(startAt) {
    place.replaceChildren();
    return AsciinemaPlayer.create(place.dataset.replay, place, {
      speed, startAt, idleTimeLimit: 2, preload: true, fit: "both", theme: "auto/asciinema",
    });
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
