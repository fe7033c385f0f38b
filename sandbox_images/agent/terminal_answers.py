"""What the supervisor answers to the words about terminals. Loaded with the first of them."""

from __future__ import annotations

from functools import partial

from lab import Refused
from look import Look
from processes import MARK, NO_ROOM, Order
from terminal import Terminal
from typed import TypedRun, listen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from connection import Connection
    from frames import Frame
    from lab import Lab

AT_ONCE = 2
KEPT_OVER = 2
LOOKS_AT_ONCE = 12
KEYS_BYTES = 256 * 1024
SHELL = [b"/bin/bash", b"+H", b"-l"]
"""Without `!` for earlier commands: in a lesson's line it is a sign like any other."""
WORKDIR = b"/home/node/project"
ENV = {
    b"TERM": b"xterm-256color",
    b"COLORTERM": b"truecolor",
    b"SHELL": b"/bin/bash",
    b"HISTFILE": b"/tmp/.bash_history",
    b"NODE_REPL_HISTORY": b"/tmp/.node_repl_history",
    b"XDG_DATA_HOME": b"/tmp",  # nano keeps its history there
    b"PROMPT_DIRTRIM": b"2",
    b"INPUTRC": b"/opt/agent-lab/inputrc",
}


class TerminalAnswers:
    """One method per word; each sends its answer, or raises Refused."""

    def __init__(self, lab: Lab, env: dict[bytes, bytes]) -> None:
        self._lab = lab
        self._env = {**env, **ENV}
        self._terminals: dict[str, Terminal] = {}
        self._looks: dict[tuple[Connection, int], Look] = {}
        self.words: dict[str, Callable[[Connection, Frame], None]] = {
            "open": self._open,
            "look": self._look,
            "credit": self._credit,
            "away": self._away,
            "keys": self._keys,
            "size": self._size,
            "close": self._close,
            "terminals": self._list,
        }
        listen(lab.loop, self._terminals.values)

    def _open(self, connection: Connection, frame: Frame) -> None:
        name = frame.text(b"terminal")
        is_new = name not in self._terminals
        if is_new:
            self._start(name, frame)
        connection.send(frame.request, "opened", is_new=int(is_new))

    def _start(self, name: str, frame: Frame) -> None:
        if not name:
            raise Refused("bad_request", "A terminal needs a name.")
        self._forget_old()
        if sum(not one.over for one in self._terminals.values()) >= AT_ONCE:
            raise Refused("busy", f"This lab has {AT_ONCE} terminals open already.")
        terminal = Terminal(self._lab, name, frame.number(b"linger_ms", 900_000) / 1000)
        order = Order(SHELL, {**self._env, MARK[:-1]: name.encode()}, WORKDIR)
        try:
            terminal.start(order, frame.number(b"cols", 80), frame.number(b"rows", 24))
        except OSError:
            raise Refused("busy", NO_ROOM) from None
        self._terminals[name] = terminal

    def typed(self, frame: Frame) -> Callable[..., TypedRun]:
        """Makes the run that this frame asks to type."""
        line = b"".join(frame.all(b"line")[-1:])
        terminal = self._terminals.get(frame.text(b"terminal"))
        return partial(TypedRun, terminal=terminal, line=line)

    def _forget_old(self) -> None:
        over = [name for name, one in self._terminals.items() if one.over]
        for name in over[: max(0, len(over) - KEPT_OVER)]:
            del self._terminals[name]

    def _find(self, frame: Frame) -> Terminal:
        if (terminal := self._terminals.get(frame.text(b"terminal"))) is None:
            raise Refused("unknown_terminal", "This lab has no such terminal.")
        return terminal

    def _look(self, connection: Connection, frame: Frame) -> None:
        terminal = self._find(frame)
        self._looks = {key: look for key, look in self._looks.items() if not look.is_over}
        if sum(look.terminal is terminal for look in self._looks.values()) >= LOOKS_AT_ONCE:
            raise Refused("busy", "Too many look at this terminal at once.")
        key = connection, frame.request
        credit, pace_s = frame.number(b"credit", 65536), frame.number(b"pace_ms", 0) / 1000
        self._looks[key] = Look(self._lab.loop, *key, terminal, credit, pace_s)
        self._looks[key].begin(frame.number(b"offset", 0))

    def _credit(self, connection: Connection, frame: Frame) -> None:
        look = self._looks.get((connection, frame.number(b"look", 0)))
        if look is not None:
            look.give(frame.number(b"bytes", 0))

    def _away(self, connection: Connection, frame: Frame) -> None:
        look = self._looks.pop((connection, frame.number(b"look", 0)), None)
        if look is not None:
            look.end()

    def _keys(self, connection: Connection, frame: Frame) -> None:
        terminal = self._find(frame)
        if terminal.waiting_keys + len(frame.body) > KEYS_BYTES:
            raise Refused("input_full", "The program in this terminal doesn't read its input.")
        if frame.request:
            taken = partial(connection.send_soon, frame.request, "taken", bytes=len(frame.body))
            terminal.type(frame.body, taken)
        else:
            terminal.type(frame.body)

    def _size(self, connection: Connection, frame: Frame) -> None:
        self._find(frame).resize(frame.number(b"cols", 80), frame.number(b"rows", 24))
        connection.send(frame.request, "sized")

    def _close(self, connection: Connection, frame: Frame) -> None:
        self._find(frame).close("closed")
        connection.send(frame.request, "closing")

    def _list(self, connection: Connection, frame: Frame) -> None:
        lines = [f"{name} {one.over or 'open'}" for name, one in self._terminals.items()]
        connection.send(frame.request, "terminals", "\n".join(lines).encode())
