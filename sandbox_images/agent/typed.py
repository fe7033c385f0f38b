"""Runs that are typed: the shell of a terminal gets the lesson's line, as a student would type it.

The `docker` of that line asks here; then the run begins like every other, as a child of ours with
pipes, so that its receipt is as true. What it writes goes to its terminal, too.
"""

from __future__ import annotations

import os
from _signal import SIGINT  # type: ignore[import-not-found]  # small
from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_STREAM, SOL_SOCKET, socket
from struct import Struct
from time import monotonic

from loop import Writer
from processes import Process, find_tree, kill_quietly
from runs import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lab import Lab
    from loop import Loop
    from processes import Order
    from runs import Terms
    from spool import Spool
    from terminal import Terminal

SOCKET = "/run/names/typed"
SO_PEERCRED = 17
PEER = Struct("3i")  # process, user and group id
PROMPT_S = 2.0
TAKEN_S = 10.0
ROUND_S = 0.05
AHEAD_BYTES = 64 * 1024
BY_HAND, LATE = b"by-hand", b"late"
INTERRUPT = b"\x03"
CLEAR_LINE = b"\x01\x0b"
"""To its beginning, and what is behind goes; Ctrl-Y brings it back."""
KNOWS_PASTES = b"2004"
PASTED = b"\x1b[200~", b"\x1b[201~"
LINE_IS_READ = b"\x1b[?2004l"
NO_TERMINAL = "Your terminal has ended, so nothing was typed and nothing was run."
BUSY = (
    "Your terminal is busy with another program, so nothing was typed and nothing was run. "
    "End that program with Ctrl-C, then press Run again."
)
NOT_TAKEN = (
    "Your shell did not run the line that was typed, so it was taken back. "
    "Nothing was run. Press Run again, or press it without the terminal."
)
TAKEN_BACK = "It was taken back with Ctrl-C before it began."


class TypedRun(Run):
    """Waits for the prompt, types its line, and begins when the shell runs that."""

    def __init__(
        self,
        lab: Lab,
        run_id: str,
        spool: Spool,
        terms: Terms,
        *,
        terminal: Terminal | None,
        line: bytes,
    ) -> None:
        super().__init__(lab, run_id, spool, terms)
        self.has_begun = False
        self._terminal = terminal
        self._line = line
        self._typed_at = 0.0
        self._typed_behind = 0
        self._shim = -1
        self._screen: Writer | None = None

    # Beginning

    @property
    def is_awaited(self) -> bool:
        """Its line was typed, and that line's `docker` has not come."""
        return bool(self._typed_at) and not self.has_begun

    def start(self, order: Order) -> None:
        self._order = order
        if self._terminal is None or self._terminal.over:
            self._withdraw(NO_TERMINAL)
            return
        self._terminal.typed = self
        self._await_prompt(self._terminal)

    def _await_prompt(self, terminal: Terminal) -> None:
        if terminal.is_at_prompt():
            begin, end = PASTED if terminal.ring.is_on(KNOWS_PASTES) else (b"", b"")
            signs = bytes(sign for sign in self._line if sign >= 32 or sign in b"\n\t")
            terminal.type(CLEAR_LINE + begin + signs + end + b"\r")
            self._typed_at, self._typed_behind = monotonic(), terminal.ring.end
            self._await_docker(terminal)
        elif terminal.over or monotonic() > self._started_at + PROMPT_S:
            self._withdraw(NO_TERMINAL if terminal.over else BUSY)
        else:
            self._later(ROUND_S, lambda: self._await_prompt(terminal))

    def _await_docker(self, terminal: Terminal) -> None:
        """Not for long where the shell has read its line and waits for the next one already."""
        ring = terminal.ring
        shown = ring.read(max(ring.start, self._typed_behind), ring.end)
        is_read = LINE_IS_READ in shown and terminal.is_at_prompt()
        if is_read or terminal.over or monotonic() > self._typed_at + TAKEN_S:
            self._withdraw(NOT_TAKEN)
        else:
            self._later(ROUND_S, lambda: self._await_docker(terminal))

    def _later(self, delay_s: float, callback: Callable[[], None]) -> None:
        self._lab.loop.call_at(self, monotonic() + delay_s, callback)

    def take(self, shim: int, terminal: Terminal) -> None:
        """Begins for the line's own `docker`, which waits at the other end of `shim`.

        Raises OSError where there is no screen to write to.
        """
        self._screen = Writer(self._lab.loop, terminal.open_screen())
        self._screen.when_empty = self._go_on
        self.has_begun = True
        self._shim = shim
        self._lab.loop.watch(shim, lambda _: self._shim_gone())
        self._started_at = monotonic()
        super().start(self._order)

    # Output

    def _copy(self, data: bytes) -> None:
        """A flood waits for its terminal, as at any other."""
        if self._screen is None:
            return
        self._screen.write(data)
        if len(self._screen) > AHEAD_BYTES:
            for fd in self._streams:
                self._lab.loop.pause(fd)

    def _go_on(self) -> None:
        for fd in self._streams:
            self._lab.loop.resume(fd)

    # Ending

    def stop(self, reason: str) -> None:
        if self.has_begun:
            super().stop(reason)
        else:
            self._withdraw("", reason)

    def interrupt(self) -> None:
        """Ctrl-C in its terminal: what it means the command decides, as everywhere."""
        if not self.has_begun:
            self._withdraw(TAKEN_BACK, "stopped")
        elif not self._ended_at:
            for pid in find_tree(self._lab.uid, self._lab.others(self._pid))[0]:
                kill_quietly(pid, SIGINT)

    def _withdraw(self, detail: str, reason: str = "not_typed") -> None:
        """It never begins. What still stands in the shell's line is taken back from there."""
        if self.has_begun or self._reason:
            return
        self._reason, self._detail, self._ended_at = reason, detail, monotonic()
        if self._terminal is not None and self.is_awaited and self._terminal.is_at_prompt():
            self._terminal.type(INTERRUPT)
            self._terminal.typed = None
        self._settle()

    def _shim_gone(self) -> None:
        """It was killed, or its terminal closed."""
        self._close_shim()
        self.stop("terminal_gone")

    def _close_shim(self) -> None:
        if self._shim >= 0:
            self._lab.loop.close(self._shim)
            self._shim = -1

    def _settle(self) -> None:
        super()._settle()
        if self._screen is not None:
            if self._detail:
                self._screen.write(self._detail.encode() + b"\n")
            self._screen.when_empty = self._dismiss
            self._screen.end()

    def _dismiss(self) -> None:
        """All is shown: the shell gets its exit code, and goes on."""
        if self._shim >= 0:
            answer(self._shim, b"%d" % self._code())
            self._close_shim()

    def _code(self) -> int:
        code = self.receipt["exit_code"]
        return code if isinstance(code, int) else 1

    def _write_receipt(self) -> dict[str, object]:
        receipt = super()._write_receipt()
        if self._terminal is not None and self._typed_at:
            after_s = self._typed_at - self._terminal.began_at
            receipt["typed_at_ms"] = int(after_s * 1000)
        return receipt if self.has_begun else {**receipt, "exit_code": "", "duration_us": 0}


def listen(loop: Loop, find_terminals: Callable[[], Iterable[Terminal]]) -> None:
    """Lets every `docker` in a terminal ask whether it was typed for a run."""
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
    listener.bind(SOCKET)
    os.chmod(SOCKET, 0o666)  # noqa: S103  the student's own commands ask
    listener.listen(16)

    def accept(events: int) -> None:
        fd, _ = listener._accept()  # type: ignore[attr-defined]  # `socket` is a megabyte
        os.set_blocking(fd, False)
        try:
            refusal = _hand_over(fd, find_terminals())
        except OSError:  # no descriptor was left for its screen
            refusal = LATE
        if refusal:
            answer(fd, refusal)
            os.close(fd)

    loop.watch(listener.fileno(), accept)


def _hand_over(fd: int, terminals: Iterable[Terminal]) -> bytes:
    """Empty where a run has taken the connection, else what to answer.

    Who asks is known by its session and not by its words.
    """
    terminal = _terminal_of(fd, terminals)
    run = terminal.typed if terminal is not None else None
    if terminal is None or run is None or not run.is_awaited:
        return BY_HAND
    if run.is_over:
        terminal.typed = None
        return LATE
    run.take(fd, terminal)
    return b""


def _terminal_of(fd: int, terminals: Iterable[Terminal]) -> Terminal | None:
    """The terminal in whose foreground the process at the other end runs."""
    asking = socket(AF_UNIX, SOCK_STREAM, 0, fd)
    pid, _, _ = PEER.unpack(asking.getsockopt(SOL_SOCKET, SO_PEERCRED, PEER.size))
    asking.detach()
    try:
        session, group = Process(pid).session, os.getpgid(pid)
    except OSError:
        return None  # it has gone again
    return next((one for one in terminals if one.has_in_front(session, group)), None)


def answer(fd: int, word: bytes) -> None:
    """To who may be gone."""
    try:
        os.write(fd, word)
    except OSError:
        return
