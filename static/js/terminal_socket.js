// The line from this page to its shell. It may break as often as it likes: the shell goes on, and
// what was shown meanwhile comes when the line is there again.
const OVER = 4410;
const SENT_AWAY = 4403;
const NO_TICKET = 4401;
const ANSWER_MS = 4000;
const MAX_WAIT_MS = 10000;

export class TerminalSocket {
  // `on` has bytes(data), words(message), state(name, detail) and fresh().
  constructor(address, fields, on) {
    this.address = address;
    this.fields = fields;
    this.on = on;
    this.offset = 0;
    this.session = null;
    this.waitMs = 500;
    this.size = [80, 24];
    this.isEnded = false;
    addEventListener("online", () => this.look());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.look(); });
  }

  // A new shell is opened only for who asks for it: a page that comes back by itself gets its own.
  open() {
    this.isWanted = true;
    return this.connect();
  }

  async connect() {
    clearTimeout(this.timer);
    this.isEnded = false;
    this.on.state("connecting");
    const ticket = await this.askTicket();
    if (!ticket) return;
    this.isWanted = false;
    if (this.session !== ticket.session) this.beginShell(ticket.session);
    const origin = ticket.url || location.origin.replace(/^http/, "ws");
    const socket = new WebSocket(`${origin}/terminals/socket`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.tell({
      ticket: ticket.ticket, offset: this.offset, cols: this.size[0], rows: this.size[1],
    });
    socket.onmessage = (event) => this.hear(event.data);
    socket.onclose = (event) => { if (this.socket === socket) this.lose(event.code); };
    this.socket = socket;
  }

  async askTicket() {
    const csrf = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
    let response;
    try {
      response = await fetch(this.address, {
        method: "POST",
        body: new URLSearchParams({ ...this.fields, session: this.isWanted ? "" : this.session ?? "" }),
        headers: { "X-CSRFToken": csrf },
      });
    } catch {
      return this.retry();
    }
    if (response.redirected || response.status === 403) return this.end("logged-out");
    if (response.status === 404) return this.end("sent-away");
    if (response.status === 409) return this.end("refused", (await response.json()).refusal);
    if (!response.ok) return this.retry();
    return response.json();
  }

  beginShell(session) {
    if (this.session) this.on.fresh();
    this.session = session;
    this.offset = 0;
  }

  hear(data) {
    clearTimeout(this.silence);
    if (typeof data !== "string") {
      this.offset += data.byteLength;
      this.on.bytes(new Uint8Array(data));
      return;
    }
    const words = JSON.parse(data);
    if (words.attached) {
      this.waitMs = 500;
      this.on.state("open");
    }
    if (words.skipped) this.offset = words.skipped.offset;
    if (words.over) this.isOver = true;
    this.on.words(words);
  }

  lose(code) {
    if (code === OVER) this.end("over");
    else if (code === SENT_AWAY) this.end("sent-away");
    else if (code === NO_TICKET && this.waitMs > 4000) this.end("logged-out");
    else this.retry();
  }

  retry() {
    this.on.state("cut");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.waitMs);
    this.waitMs = Math.min(this.waitMs * 2, MAX_WAIT_MS);
  }

  end(state, detail) {
    this.isEnded = true;
    this.on.state(state, detail);
  }

  // After a sleep the line may be dead without anybody having said so.
  look() {
    if (this.isEnded || !this.socket) return;
    if (this.socket.readyState !== WebSocket.OPEN) {
      this.waitMs = 500;
      this.retry();
      return;
    }
    this.tell({ are_you_there: true });
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.drop(), ANSWER_MS);
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.retry();
  }

  tell(words) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(words));
  }

  // In pieces, so that Ctrl-C overtakes a long paste in the site and not behind it.
  type(text) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += 16384) this.socket.send(bytes.slice(at, at + 16384));
    return true;
  }
}
