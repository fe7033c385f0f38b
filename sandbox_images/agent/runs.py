"""Runs: one execution each, from its start to its receipt. Who reads its output is elsewhere."""

from __future__ import annotations

import os
from _signal import SIGKILL, SIGTERM  # type: ignore[import-not-found]  # small
from time import monotonic

from loop import Writer
from processes import NO_ROOM, explain, find_tree, kill_quietly, signal_all, spawn
from spool import STDERR, STDOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from resource import struct_rusage

    from lab import Lab
    from processes import Order
    from spool import Spool

READ_BYTES = 64 * 1024
GRACE_S = 0.2
TERM_S = 1.0
ROUND_S = 0.02
BOMB_ROUNDS = 25
LAST_ROUND = 250
UNENDING = "Some of its processes could not be ended."


class Terms:
    """What a run may use."""

    __slots__ = ("hard_cap_bytes", "has_input", "time_limit_s")

    def __init__(self, time_limit_s: float, hard_cap_bytes: int, has_input: bool) -> None:
        self.time_limit_s = time_limit_s
        self.hard_cap_bytes = hard_cap_bytes
        self.has_input = has_input


class Run:
    """Ends when its command ends, or is ended; then `receipt` says how."""

    def __init__(self, lab: Lab, run_id: str, spool: Spool, terms: Terms) -> None:
        self.id = run_id
        self.spool = spool
        self.receipt: dict[str, object] = {}
        self.is_forgotten = False
        self.readers: set[Callable[[], None]] = set()
        self.input: Writer | None = None
        self._lab = lab
        self._terms = terms
        self._streams: dict[int, int] = {}
        self._pid = self._report = -1
        self._reason = self._detail = ""
        self._status = 0
        self._ended_at = 0.0
        self._leftovers = self._rounds = 0
        self._oom_before = lab.memory.oom_kills()
        self._peak_before = lab.memory.peak_bytes()
        self._maxrss_bytes = 0
        self._started_at = monotonic()

    @property
    def is_over(self) -> bool:
        return bool(self.receipt)

    def forget(self) -> None:
        """Drops the output. Whoever still reads it hears so."""
        self.is_forgotten = True
        self.spool.drop()
        self._tell_readers()

    # Beginning

    def start(self, order: Order) -> None:
        """Executes the command; where that can't be, the receipt says so at once."""
        self._order = order
        theirs: list[int] = []
        try:
            stdin = self._open_input(theirs) if self._terms.has_input else self._lab.null
            stdio = stdin, self._listen(STDOUT, theirs), self._listen(STDERR, theirs)
            self._pid, self._report = spawn(self._lab.uid, order, stdio)
        except OSError:
            self._refuse()
        else:
            self._begin()
        finally:
            for fd in theirs:
                os.close(fd)

    def _open_input(self, theirs: list[int]) -> int:
        source, source_end = os.pipe2(os.O_CLOEXEC)
        theirs.append(source)
        self.input = Writer(self._lab.loop, source_end)
        return source

    def _listen(self, stream: int, theirs: list[int]) -> int:
        fd, end = os.pipe2(os.O_CLOEXEC)
        theirs.append(end)
        os.set_blocking(fd, False)
        self._streams[fd] = stream
        self._lab.loop.watch(fd, lambda _: self._read(fd))
        return end

    def _refuse(self) -> None:
        self._reason, self._status, self._detail = "not_started", 126 << 8, NO_ROOM
        self._ended_at = monotonic()
        self._settle()

    def _begin(self) -> None:
        self._lab.live[self._pid] = self.id.encode()
        self._lab.loop.expect(self._pid, self._command_ended)
        deadline = self._started_at + self._terms.time_limit_s
        self._lab.loop.call_at(self, deadline, lambda: self.stop("timed_out"))

    # Output

    def _read(self, fd: int) -> bool:
        """False when there is nothing to read now, or nothing will come any more."""
        try:
            data = os.read(fd, READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self._close_stream(fd)
            return False
        at_ms = int((monotonic() - self._started_at) * 1000)
        self.spool.append(self._streams[fd], at_ms, data)
        self._copy(data)
        if self.spool.total >= self._terms.hard_cap_bytes:
            self._reach_cap()
        self._tell_readers()
        return True

    def _copy(self, data: bytes) -> None:
        """A run that was typed shows it in its terminal, too."""

    def _reach_cap(self) -> None:
        """A flood costs nothing once nobody reads it."""
        if not self._ended_at:
            self._reason = self._reason or "output_limit"
            self._kill()
        for fd in list(self._streams):
            self._close_stream(fd)

    def _close_stream(self, fd: int) -> None:
        del self._streams[fd]
        self._lab.loop.close(fd)

    def _drain(self) -> None:
        """Takes what the pipes hold; a child that goes on writing is not waited for."""
        for fd in list(self._streams):
            for _ in range(4):
                if fd not in self._streams or not self._read(fd):
                    break

    def _tell_readers(self) -> None:
        for tell in tuple(self.readers):
            tell()

    # Ending

    def stop(self, reason: str) -> None:
        """TERM to the whole tree, KILL a second later. Once ended or ending, nothing."""
        if self.is_over or self._reason or self._ended_at:
            return
        self._reason = reason
        self._signal_tree(SIGTERM)
        self._lab.loop.call_at(self, monotonic() + TERM_S, self._kill)

    def _kill(self) -> None:
        """Again and again until the command is gone."""
        self._signal_tree(SIGKILL)
        self._lab.loop.call_at(self, monotonic() + TERM_S, self._kill)

    def _signal_tree(self, number: int) -> int:
        """How many processes there were. Fallen on a bomb, it spares nobody."""
        ours, spared = find_tree(self._lab.uid, self._lab.others(self._pid))
        self._rounds += 1
        if not self._ended_at and self._pid not in ours:
            kill_quietly(self._pid, number)  # it has not become the student yet
        if not spared or self._rounds > BOMB_ROUNDS:
            signal_all(self._lab.uid, number)
        else:
            for pid in ours:
                kill_quietly(pid, number)
        return len(ours)

    def _command_ended(self, status: int, usage: struct_rusage) -> None:
        self._ended_at = monotonic()
        self._status = status
        self._maxrss_bytes = usage.ru_maxrss * 1024
        self._rounds = 0
        self._drain()
        self._wind_up()

    def _wind_up(self) -> None:
        """Ends what the command has left behind, once it has had a moment to end by itself."""
        if not self._has_tree() or self._rounds > LAST_ROUND:
            self._detail = UNENDING if self._rounds > LAST_ROUND else ""
            self._drain()
            self._settle()
            return
        now = monotonic()
        if now >= self._ended_at + GRACE_S:
            self._leftovers = max(self._leftovers, self._signal_tree(SIGKILL))
        self._lab.loop.call_at(self, now + ROUND_S, self._wind_up)

    def _has_tree(self) -> bool:
        if self._lab.loop.is_childless:
            return False
        return bool(find_tree(self._lab.uid, self._lab.others(self._pid))[0])

    def _settle(self) -> None:
        self._lab.loop.cancel(self)
        self._lab.live.pop(self._pid, None)
        for fd in list(self._streams):
            self._close_stream(fd)
        if self.input is not None:
            self.input.close()
        self._hear_report()
        self.spool.close()
        self.receipt = self._write_receipt()
        self._tell_readers()

    def _hear_report(self) -> None:
        if self._report < 0:
            return
        report = os.read(self._report, 64)
        os.close(self._report)
        if report:
            code, self._detail = explain(report, self._order)
            self._reason, self._status = "not_started", code << 8

    def _write_receipt(self) -> dict[str, object]:
        code = os.waitstatus_to_exitcode(self._status)
        reason = self._reason or ("signalled" if code < 0 else "exited")
        return {
            "reason": reason,
            "exit_code": 128 - code if code < 0 else code,
            "signal": -code if code < 0 else "",
            "duration_us": int((self._ended_at - self._started_at) * 1_000_000),
            "bytes_total": self.spool.total,
            "lines_total": self.spool.lines,
            "truncated_bytes": self.spool.truncated,
            "leftovers": self._leftovers,
            "oom_kills": self._count_oom_kills(),
            "memory_peak_bytes": self._find_peak(),
            "workspace_changed": int(self._lab.is_workspace_changed()),
            "detail": self._detail,
        }

    def _count_oom_kills(self) -> int | str:
        after = self._lab.memory.oom_kills()
        return "" if after is None or self._oom_before is None else after - self._oom_before

    def _find_peak(self) -> int:
        """The whole lab's, if this run raised it; otherwise its largest process's."""
        after = self._lab.memory.peak_bytes()
        has_risen = after is not None and after > (self._peak_before or 0)
        return after if after is not None and has_risen else self._maxrss_bytes
