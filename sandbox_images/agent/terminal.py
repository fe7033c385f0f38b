"""A terminal: the student's login shell on a pty, which outlives whoever looks at it.

Loaded when the first one is opened: a lab without terminals pays nothing for it.
"""

from __future__ import annotations

import os
from _signal import SIGCONT, SIGHUP, SIGKILL, SIGTERM  # type: ignore[import-not-found]  # small
from fcntl import ioctl
from select import EPOLLIN, EPOLLOUT
from struct import pack
from termios import ICANON, TIOCSWINSZ, error, tcgetattr
from time import monotonic

from processes import find_tree, kill_quietly, signal_all, spawn
from ring import Ring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from resource import struct_rusage

    from lab import Lab
    from processes import Order
    from typed import TypedRun

READ_BYTES = 16 * 1024
RATE_BYTES_S = 192 * 1024
UNSEEN_RATE_BYTES_S = 64 * 1024
BURST_BYTES = 256 * 1024
ROUND_S = 0.05
TERM_ROUND, LAST_ROUND = 10, 100
INTERRUPT = b"\x03"
LOCAL_FLAGS = 3
MAX_SIZE = 1000


class Terminal:
    """Lives until its shell ends, somebody closes it, or nobody has looked for `linger_s`."""

    def __init__(self, lab: Lab, name: str, linger_s: float) -> None:
        self.name = name
        self.ring = Ring()
        self.over = ""
        """Why it is over; empty while it lives."""
        self.exit_code = 0
        self.viewers: set[Callable[[], bool]] = set()
        """Each says whether it has room for more: the quickest sets the pace."""
        self.readers: set[Callable[[], None]] = set()
        self.typed: TypedRun | None = None
        """The last run that was typed here."""
        self._lab = lab
        self._linger_s = linger_s
        self.began_at = self._filled_at = monotonic()
        self._tokens = float(BURST_BYTES)
        self._pid = self._fd = -1
        self._path = self._reason = ""
        self._rounds = 0
        self._has_ended = False
        self._is_held = False
        self._events = EPOLLIN
        self._size = (80, 24)
        self._keys = bytearray()
        self._taken: list[tuple[int, Callable[[], None]]] = []
        self._keys_end = 0
        self._keys_done = 0

    # Beginning

    def start(self, order: Order, cols: int, rows: int) -> None:
        """Raises OSError where the lab has no room for one more process."""
        self._fd, end = self._open_pty()
        try:
            self.resize(cols, rows)
            self._pid, report = spawn(self._lab.uid, order, (end, end, end), is_terminal=True)
        except OSError:
            os.close(self._fd)
            raise
        finally:
            os.close(end)
        os.close(report)
        os.set_blocking(self._fd, False)
        self._lab.live[self._pid] = self.name.encode()
        self._lab.loop.expect(self._pid, self._shell_ended)
        self._lab.loop.watch(self._fd, self._ready)
        self._linger()

    def _open_pty(self) -> tuple[int, int]:
        """As the student, to whom the terminal's file then belongs."""
        os.seteuid(self._lab.uid)
        try:
            fd, end = os.openpty()
            self._path = os.ttyname(end)
            return fd, end
        finally:
            os.seteuid(0)

    def resize(self, cols: int, rows: int) -> None:
        if self._fd >= 0:
            self._size = max(2, min(cols, MAX_SIZE)), max(2, min(rows, MAX_SIZE))
            ioctl(self._fd, TIOCSWINSZ, pack("HHHH", self._size[1], self._size[0], 0, 0))

    def redraw(self) -> None:
        """Has a full-screen program draw anew, whose beginning the ring has lost."""
        cols, rows = self._size
        self.resize(cols, rows - 1)
        self._lab.loop.call_at((self, "redraw"), monotonic() + ROUND_S, self._redrawn(cols, rows))

    def _redrawn(self, cols: int, rows: int) -> Callable[[], None]:
        return lambda: self.resize(cols, rows)

    # Who looks

    def look(self, has_room: Callable[[], bool]) -> None:
        self.viewers.add(has_room)
        self._lab.loop.cancel((self, "linger"))
        self.go_on()

    def look_away(self, has_room: Callable[[], bool]) -> None:
        self.viewers.discard(has_room)
        if not self.viewers and not self.over:
            self._linger()
            self.go_on()

    def _linger(self) -> None:
        when = monotonic() + self._linger_s
        self._lab.loop.call_at((self, "linger"), when, lambda: self.close("unseen"))

    # Output

    def go_on(self) -> None:
        """Reads again where that was held, if it may."""
        if self._is_held and self._fd >= 0 and self._may_read():
            self._is_held = False
            self._set_events()

    def _may_read(self) -> bool:
        """A flood is read no faster than anybody could look at it: its program waits."""
        if self.viewers and not any(has_room() for has_room in self.viewers):
            return False
        rate = RATE_BYTES_S if self.viewers else UNSEEN_RATE_BYTES_S
        now = monotonic()
        self._tokens = min(BURST_BYTES, self._tokens + (now - self._filled_at) * rate)
        self._filled_at = now
        if self._tokens > 0:
            return True
        later = now + (READ_BYTES - self._tokens) / rate
        self._lab.loop.call_at((self, "rate"), later, self.go_on)
        return False

    def _ready(self, events: int) -> None:
        if events & EPOLLOUT:
            self._write_keys()
        if events & ~EPOLLOUT and self._fd >= 0:
            if not self._may_read():
                self._is_held = True
                self._set_events()
            elif not self._read() and events & ~(EPOLLIN | EPOLLOUT):
                self._shut()

    def _read(self) -> bool:
        """False where nothing came: then the other end may be closed."""
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:  # the last one who had it open is gone
            self._shut()
            return False
        self._tokens -= len(data)
        self.ring.append(data, int((monotonic() - self.began_at) * 1000))
        self._tell()
        return bool(data)

    def _set_events(self) -> None:
        if self._fd < 0:
            return
        events = (0 if self._is_held else EPOLLIN) | (EPOLLOUT if self._keys else 0)
        if events == self._events:
            return
        self._events = events
        if not events:
            self._lab.loop.pause(self._fd)
        else:
            self._lab.loop.resume(self._fd)
            self._lab.loop.change(self._fd, events)

    def _tell(self) -> None:
        for tell in tuple(self.readers):
            tell()

    # Keys

    @property
    def waiting_keys(self) -> int:
        """Bytes that the program has not read yet."""
        return len(self._keys)

    def type(self, data: bytes, when_taken: Callable[[], None] | None = None) -> None:
        """Ctrl-C drops what the program has not read yet, as a real terminal's would."""
        if data == INTERRUPT and self._keys:
            self._keys_end -= len(self._keys)
            self._keys.clear()
        if INTERRUPT in data and self.typed is not None:
            self.typed.interrupt()
        self._keys += data
        self._keys_end += len(data)
        if when_taken is not None:
            self._taken.append((self._keys_end, when_taken))
        self._write_keys()

    def is_at_prompt(self) -> bool:
        """The shell itself waits for a line: no program has the terminal, and no `read`."""
        try:
            is_in_front = os.tcgetpgrp(self._fd) == self._pid
            return is_in_front and not self._keys and not tcgetattr(self._fd)[LOCAL_FLAGS] & ICANON
        except (OSError, error):
            return False

    def has_in_front(self, session: int, group: int) -> bool:
        """Whether this group of processes has the terminal just now."""
        return not self.over and session == self._pid and group == os.tcgetpgrp(self._fd)

    def open_screen(self) -> int:
        """A descriptor to write what is to be shown, as the programs in it do. Raises OSError."""
        os.seteuid(self._lab.uid)
        try:
            flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
            return os.open(self._path, flags)
        finally:
            os.seteuid(0)

    def _write_keys(self) -> None:
        try:
            while self._keys and self._fd >= 0:
                written = os.write(self._fd, self._keys[:4096])
                del self._keys[:written]
                self._keys_done += written
        except BlockingIOError:
            pass
        except OSError:
            self._keys.clear()
        if self._fd < 0:
            self._keys.clear()
        while self._taken and (self._taken[0][0] <= self._keys_done or not self._keys):
            self._taken.pop(0)[1]()
        self._set_events()

    # Ending

    def close(self, reason: str) -> None:
        """HUP and TERM to the whole tree, KILL half a second later."""
        if not self.over and not self._reason:
            self._reason = reason
            self._end_tree()

    def _shell_ended(self, status: int, _: struct_rusage) -> None:
        self._has_ended = True
        self.exit_code = os.waitstatus_to_exitcode(status)
        self._reason = self._reason or "exited"
        for _round in range(8):
            if self._fd < 0 or not self._read():
                break
        self._end_tree()

    def _end_tree(self) -> None:
        """Called until nothing is left of it."""
        if self.over:
            return
        ours, spared = find_tree(self._lab.uid, self._lab.others(self._pid))
        if (not ours and self._has_ended) or self._rounds > LAST_ROUND:
            self._settle()
            return
        for number in self._signals():
            if spared:
                for pid in ours:
                    kill_quietly(pid, number)
            else:
                signal_all(self._lab.uid, number)
        self._rounds += 1
        self._lab.loop.call_at((self, "end"), monotonic() + ROUND_S, self._end_tree)

    def _signals(self) -> tuple[int, ...]:
        if self._rounds >= TERM_ROUND:
            return (SIGKILL,)
        return () if self._rounds else (SIGHUP, SIGTERM, SIGCONT)

    def _shut(self) -> None:
        if self._fd >= 0:
            self._lab.loop.close(self._fd)
            self._fd = -1

    def _settle(self) -> None:
        self._shut()
        for moment in ("linger", "rate", "end", "redraw"):
            self._lab.loop.cancel((self, moment))
        self._lab.live.pop(self._pid, None)
        self.over = self._reason
        self._tell()
