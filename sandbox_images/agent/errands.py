"""Saving and restoring the workspace: `tar`, run as the student, its bytes over a connection."""

from __future__ import annotations

import os
from time import monotonic

from loop import Writer
from processes import kill_quietly, spawn
from workspace import RESTORE, SAVE, open_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from resource import struct_rusage

    from connection import Connection
    from lab import Lab
    from processes import Order

READ_BYTES = 64 * 1024
TIME_LIMIT_S = 60.0
PENDING_BYTES = 256 * 1024
MARK = b"errand"


class Errand:
    """One helper process that works for one request of one connection."""

    def __init__(self, lab: Lab, connection: Connection, request: int) -> None:
        self._lab = lab
        self._connection = connection
        self._request = request
        self._status: int | None = None
        self._output = -1
        self._pid = -1

    def _start(self, order: Order, stdin: int, output_end: int) -> None:
        self._pid, report = spawn(self._lab.uid, order, (stdin, output_end, self._lab.null))
        os.close(report)
        self._lab.live[self._pid] = MARK
        self._lab.loop.expect(self._pid, self._ended)
        self._lab.loop.call_at(self, monotonic() + TIME_LIMIT_S, self.give_up)
        self._connection.when_closed.add(self.give_up)

    def give_up(self) -> None:
        """Kills the process; that it failed is then told to who asked."""
        kill_quietly(self._pid)

    def _ended(self, status: int, _: struct_rusage) -> None:
        self._status = os.waitstatus_to_exitcode(status)
        self._lab.loop.cancel(self)
        self._lab.live.pop(self._pid, None)
        self._connection.when_closed.discard(self.give_up)
        self._finish()

    def _finish(self) -> None:
        raise NotImplementedError


class Save(Errand):
    """Sends an archive of the workspace as `data` frames, then `saved`."""

    def start(self) -> None:
        self._print = self._lab.read_print()
        self._output, output_end = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._output, False)
        try:
            self._start(SAVE, self._lab.null, output_end)
        except OSError:
            os.close(self._output)
            raise
        finally:
            os.close(output_end)
        self._lab.saves.add(self)
        self._lab.loop.watch(self._output, self._readable)
        self._connection.when_drained.add(self._resume)

    def _readable(self, _: int) -> None:
        if self._connection.is_full:
            self._lab.loop.pause(self._output)
            return
        try:
            data = os.read(self._output, READ_BYTES)
        except BlockingIOError:
            return
        if data:
            self._connection.send(self._request, "data", data)
            return
        self._lab.loop.close(self._output)
        self._connection.when_drained.discard(self._resume)
        self._output = -1
        self._finish()

    def _resume(self) -> None:
        if self._output >= 0:
            self._lab.loop.resume(self._output)

    def _finish(self) -> None:
        """Both the bytes and the process have to be at their end."""
        if self._status is not None:
            self._lab.saves.discard(self)
        if self._output >= 0 or self._status is None:
            return
        if self._status in (0, 1, 2):
            self._lab.note_saved(self._print)
        self._connection.send(self._request, "saved", status=self._status)


class Restore(Errand):
    """Empties the workspace and unpacks the archive that `data` frames bring, up to `end`."""

    def start(self, when_done: Callable[[], object]) -> None:
        self._when_done = when_done
        open_up(self._lab.uid)
        source, source_end = os.pipe2(os.O_CLOEXEC)
        try:
            self._start(RESTORE, source, self._lab.null)
        except OSError:
            os.close(source_end)
            raise
        finally:
            os.close(source)
        self._writer = Writer(self._lab.loop, source_end)
        self._writer.when_empty = self._connection.resume

    def take(self, data: bytes) -> None:
        self._writer.write(data)
        if len(self._writer) > PENDING_BYTES:
            self._connection.pause()

    def end(self) -> None:
        self._writer.end()

    def _finish(self) -> None:
        self._writer.close()
        self._lab.note_saved(self._lab.read_print() if self._status == 0 else None)
        self._when_done()
        self._connection.send(self._request, "restored", status=self._status)
