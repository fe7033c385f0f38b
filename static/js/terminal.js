// A terminal on a page: one's own, or a student's to look in on. Bound by [data-terminal].
import { TerminalSocket } from "./terminal_socket.js";
import { makeScreen } from "./terminal_screen.js";
import { bindKeys, isReport } from "./terminal_keys.js";
import { bindWatchers } from "./terminal_watchers.js";

const TEXT_LINES = 400;

export async function openTerminal(root) {
  if (root.terminal) return root.terminal;
  const isReadOnly = "watch" in root.dataset;
  const status = root.querySelector("[data-terminal-status]");
  const say = (text) => { if (status.textContent !== text) status.textContent = text; };
  const { term, fit } = await makeScreen(root.querySelector("[data-terminal-screen]"), { isReadOnly });
  let mutedUntil = 0;
  const socket = new TerminalSocket(root.dataset.open, { number: root.dataset.number ?? "1" }, {
    bytes: (data) => write(data),
    words: (words) => hear(words),
    state: (name, detail) => showState(root, say, name, detail),
    fresh: () => term.reset(),
  });

  // Answers of the emulator to what was shown long ago must not be typed into the shell of now.
  function write(data) {
    const end = socket.offset;
    term.write(data, () => { if (end >= mutedUntil) mutedUntil = 0; });
  }

  function hear(words) {
    if (words.attached && words.attached.end > socket.offset) mutedUntil = words.attached.end;
    if (words.skipped) term.write(words.skipped.fresh);
    if (words.size) adopt(words.size);
    if (words.say) say(words.say);
    if ("may_type" in words) term.options.disableStdin = !words.may_type;
    if (words.watchers) root.dispatchEvent(new CustomEvent("watchers", { detail: words.watchers }));
  }

  // Another tab has another size: this one shows the shell as it is, and takes over when used.
  function adopt([cols, rows]) {
    if (isReadOnly || !document.hasFocus()) term.resize(cols, rows);
  }

  function takeSize() {
    if (isReadOnly || !root.offsetParent) return;
    fit.fit();
    socket.size = [term.cols, term.rows];
    socket.tell({ size: socket.size });
  }

  function type(data) {
    if (!socket.type(data)) say(root.dataset.sayNotTyped);
  }

  term.onData((data) => {
    if (mutedUntil || (isReport(data) && !document.hasFocus())) return;
    type(root.terminalFilter ? root.terminalFilter(data) : data);
  });
  bindKeys(term, root, { type, say });
  bindWatchers(root, socket);
  bindTools(root, term, socket);
  let timer;
  const later = () => { clearTimeout(timer); timer = setTimeout(takeSize, 120); };
  new ResizeObserver(later).observe(root.querySelector("[data-terminal-screen]"));
  addEventListener("focus", later);
  if (!isReadOnly) fit.fit();
  socket.size = [term.cols, term.rows];
  root.terminal = { term, socket, type, takeSize };
  await socket.open();
  return root.terminal;
}

function showState(root, say, reason, detail) {
  // From one's own terminal only a log-out leads away.
  const name = reason === "sent-away" && !("watch" in root.dataset) ? "logged-out" : reason;
  root.dataset.state = name;
  say(detail ?? root.dataset[`say${name.replace(/(^|-)(.)/g, (_, __, letter) => letter.toUpperCase())}`]);
  const again = root.querySelector("[data-terminal-again]");
  if (again) again.hidden = !["over", "refused"].includes(name);
}

function bindTools(root, term, socket) {
  const on = (name, work) => root.querySelector(`[data-terminal-${name}]`)?.addEventListener("click", work);
  on("again", () => { socket.open(); term.focus(); });
  on("close", () => socket.tell({ close: true }));
  const text = root.querySelector("[data-terminal-text]");
  on("as-text", () => {
    text.hidden = !text.hidden;
    if (text.hidden) return;
    text.querySelector("pre").textContent = lastLines(term);
    text.querySelector("pre").focus();
  });
  const reader = root.querySelector("[data-terminal-reader]");
  if (!reader) return;
  reader.checked = localStorage.getItem("terminal-reader") === "1";
  const apply = () => { term.options.screenReaderMode = reader.checked; };
  reader.addEventListener("change", () => {
    localStorage.setItem("terminal-reader", reader.checked ? "1" : "");
    apply();
  });
  apply();
}

function lastLines(term) {
  const buffer = term.buffer.active;
  const lines = [];
  for (let at = Math.max(0, buffer.length - TEXT_LINES); at < buffer.length; at++) {
    const line = buffer.getLine(at);
    const text = line.translateToString(true);
    if (line.isWrapped && lines.length) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines.join("\n").trimEnd();
}

for (const root of document.querySelectorAll("[data-terminal][data-at-once]")) openTerminal(root);
