"""The site's end of the line to one lab's supervisor (`sandbox_images/agent/PROTOCOL.md`).

A `Link` asks, follows, saves and restores over a `Wire`, which it opens anew when it has broken.
What a stream is and how it is opened, the engine knows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty
from tempfile import SpooledTemporaryFile
from typing import IO

from labs.engine import archive, frames
from labs.engine.archive import Fetched
from labs.engine.base import Batch, EngineError, Exit, FilesNotRestored, Output, RunSpec
from labs.engine.frames import BadFrame, Frame
from labs.engine.told import read_piece
from labs.engine.usage import Usage, read_usage
from labs.engine.wire import Answers, Broken, Stream, Wire, take, take_batch

VERSION = 1
MAX_BREAKS = 5
PIECE_BYTES = 64 * 1024
MOST_OUTPUT_BYTES = 16 * 1024 * 1024
"""As much as a supervisor has room for."""
IN_MEMORY_BYTES = 1024 * 1024
UNREADABLE = 2
"""How `tar` ends where there was something that it might not read."""


@dataclass(frozen=True)
class Patience:
    """How many seconds a link waits before it gives up, or asks whether anybody is there."""

    answer_s: float = 10.0
    errand_s: float = 70.0
    """For saving or restoring a workspace; the supervisor itself gives up sooner."""
    open_s: float = 2.0
    tick_s: float = 1.0
    quiet_s: float = 4.0
    """A followed run that is silent for so long has its supervisor asked for a sign of life."""
    dead_s: float = 12.0
    """Without any sign for so long, the wire counts as cut."""


class Link:
    """A SupervisorLink that opens its wire when it is needed and again when it has broken."""

    def __init__(self, open_stream: Callable[[], Stream], patience: Patience = Patience()) -> None:
        """`open_stream` raises LabGone where there is no lab any more."""
        self._open_stream = open_stream
        self._patience = patience
        self._opening = threading.Lock()
        self._wire: Wire | None = None

    def open(self) -> Wire:
        """The wire, greeted. Raises LabGone, EngineError."""
        wire = self._wire
        if wire and not wire.is_broken:
            return wire
        with self._opening:
            if self._wire is None or self._wire.is_broken:
                self._wire = self._greet()
            return self._wire

    def _greet(self) -> Wire:
        """Tries again for a moment: a lab that just starts, or just ends, cuts the line."""
        give_up_at = time.monotonic() + self._patience.open_s
        while True:
            wire = Wire(self._open_stream())
            try:
                _check_version(self._ask_over(wire, "hello", ()))
                return wire
            except EngineError as error:
                wire.close()
                if not isinstance(error, Broken) or time.monotonic() > give_up_at:
                    raise

    @property
    def is_broken(self) -> bool:
        """Its wire was cut, and nobody has needed a new one since."""
        return self._wire is not None and self._wire.is_broken

    def uncut_wire(self) -> Wire | None:
        """The wire in use; None where there is none, or it was cut."""
        wire = self._wire
        return None if wire is None or wire.is_broken else wire

    def close(self) -> None:
        if self._wire:
            self._wire.close()

    # Asking

    def _ask(self, word: str, pairs: frames.Pairs) -> Frame:
        """The answer. Asked once more over a new wire: only for what may be asked twice."""
        try:
            return self._ask_over(self.open(), word, pairs)
        except Broken:
            return self._ask_over(self.open(), word, pairs)

    def _ask_over(self, wire: Wire, word: str, pairs: frames.Pairs, body: bytes = b"") -> Frame:
        number, answers = wire.begin()
        try:
            wire.send(frames.encode(number, word, pairs, body))
            return self._take_answer(wire, answers)
        finally:
            wire.end(number)

    def _take_answer(self, wire: Wire, answers: Answers) -> Frame:
        try:
            return take(answers, self._patience.answer_s)
        except Empty:
            wire.close()
            raise EngineError("The lab's supervisor did not answer in time.") from None

    # Runs

    def start_run(self, spec: RunSpec) -> bool:
        return self._ask("start", _start_pairs(spec)).number("is_new") == 1

    def stop_run(self, run_id: str) -> None:
        self._ask("stop", [("run", run_id)])

    def send_input(self, run_id: str, data: bytes, *, is_last: bool = False) -> None:
        pairs: frames.Pairs = [("run", run_id), ("is_last", int(is_last))]
        self._ask_over(self.open(), "input", pairs, data)

    def list_runs(self) -> Mapping[str, str]:
        lines = self._ask("list", ()).body.decode(errors="replace").splitlines()
        return {run_id: state for run_id, _, state in (line.partition(" ") for line in lines)}

    def forget_run(self, run_id: str) -> None:
        self._ask("forget", [("run", run_id)])

    def usage(self) -> Usage:
        return read_usage(self._ask("usage", ()))

    # Following

    def follow_run(self, run_id: str, offset: int = 0) -> Iterator[Output | Exit | None]:
        for batch in self.carry_run(run_id, offset):
            yield from batch or (None,)

    def carry_run(
        self, run_id: str, offset: int = 0, *, start: RunSpec | None = None
    ) -> Iterator[Batch]:
        """Goes on over a new wire from where the broken one ended."""
        breaks, received, is_known = 0, 0, start is None
        while True:
            try:
                for batch in self._carry_over(self.open(), run_id, offset, start):
                    is_known = True
                    if pieces := [piece for piece in batch if isinstance(piece, Output)]:
                        offset, breaks = pieces[-1].offset + len(pieces[-1].data), 0
                        received += sum(len(piece.data) for piece in pieces)
                    if received > MOST_OUTPUT_BYTES:
                        raise BadFrame("The lab's supervisor sends more than it can have kept.")
                    yield batch
                return
            except Broken:
                breaks += 1
                if breaks > MAX_BREAKS:
                    raise
                if is_known:
                    yield ()

    def _carry_over(
        self, wire: Wire, run_id: str, offset: int, start: RunSpec | None
    ) -> Iterator[Batch]:
        number, answers = wire.begin()
        is_over = False
        try:
            wire.send(_asked_to_carry(number, run_id, offset, start))
            if start:
                self._take_answer(wire, answers)
            while not is_over:
                batch = self._next_batch(wire, answers)
                is_over = bool(batch) and isinstance(batch[-1], Exit)
                yield batch
        finally:
            wire.end(number)
            if not is_over and not wire.is_broken:
                with suppress(Broken):
                    wire.send(frames.encode(0, "leave", [("follow", number)]))

    def _next_batch(self, wire: Wire, answers: Answers) -> Batch:
        """Empty after a second of silence. A wire that answers nobody is given up."""
        try:
            return [read_piece(f) for f in take_batch(answers, self._patience.tick_s, "exit")]
        except Empty:
            self._doubt(wire)
            return ()

    def _doubt(self, wire: Wire) -> None:
        silence_s = time.monotonic() - wire.heard_at
        if silence_s > self._patience.dead_s:
            wire.close()
        elif silence_s > self._patience.quiet_s:
            wire.send(frames.encode(0, "ping"))

    # Workspace

    def save_workspace(self) -> bytes:
        """Sanitised here, since what comes out of a lab is a student's to forge."""
        with self.fetch_workspace() as fetched:
            return archive.sanitise(fetched.file.read()).data

    @contextmanager
    def fetch_workspace(self) -> Iterator[Fetched]:
        """Little of it in memory: a student can have it come as slowly as the errand may last."""
        with SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
            status = self._fetch_into(file)
            file.seek(0)
            yield Fetched(file, is_readable=status != UNREADABLE)

    def _fetch_into(self, file: IO[bytes]) -> int:
        """How `tar` ended. Raises EngineError."""
        wire = self.open()
        number, answers = wire.begin()
        try:
            wire.send(frames.encode(number, "save"))
            return self._collect(answers, file)
        except Empty:
            raise EngineError("The lab did not save its files in time.") from None
        except OSError as error:
            raise EngineError(f"The files of a lab found no room here: {error}") from error
        finally:
            wire.end(number)

    def _collect(self, answers: Answers, file: IO[bytes]) -> int:
        """How `tar` ended: 1 where a file changed meanwhile, UNREADABLE where one was closed."""
        deadline = time.monotonic() + self._patience.errand_s
        while (frame := take(answers, max(0.0, deadline - time.monotonic()))).word == "data":
            if file.tell() + len(frame.body) > archive.MAX_ARCHIVE_BYTES:
                raise EngineError("The workspace is larger than it may be.")
            file.write(frame.body)
        status = frame.number("status")
        if status not in (0, 1, UNREADABLE):
            raise EngineError(f"The lab could not save its files (tar: {frame.text('status')}).")
        return status

    def restore_workspace(self, archived: bytes) -> None:
        wire = self.open()
        number, answers = wire.begin()
        try:
            wire.send(frames.encode(number, "restore"))
            for start in range(0, len(archived), PIECE_BYTES):
                piece = archived[start : start + PIECE_BYTES]
                wire.send(frames.encode(number, "data", body=piece))
            wire.send(frames.encode(number, "end"))
            _check_restored(take(answers, self._patience.errand_s))
        except Empty:
            raise EngineError("The lab did not restore its files in time.") from None
        finally:
            wire.end(number)


def _check_version(hello: Frame) -> None:
    if hello.number("version") != VERSION:
        raise EngineError("This lab speaks another version of our protocol: it has to be rebuilt.")


def _check_restored(frame: Frame) -> None:
    if frame.number("status") != 0:
        raise FilesNotRestored(f"The lab could not take its files (tar: {frame.text('status')}).")


def _asked_to_carry(number: int, run_id: str, offset: int, start: RunSpec | None) -> bytes:
    begin = frames.encode(number, "start", _start_pairs(start)) if start else b""
    return begin + frames.encode(number, "follow", [("run", run_id), ("offset", offset)])


def _start_pairs(spec: RunSpec) -> frames.Pairs:
    return [
        ("run", spec.run_id),
        *(("argv", argument) for argument in spec.argv),
        *(("env", f"{name}={value}") for name, value in spec.env.items()),
        ("workdir", spec.workdir),
        ("time_limit_ms", int(spec.time_limit_s * 1000)),
        ("head_bytes", spec.head_bytes),
        ("tail_bytes", spec.tail_bytes),
        ("hard_cap_bytes", spec.hard_cap_bytes),
        ("has_input", int(spec.has_input)),
        *((("terminal", spec.terminal), ("line", spec.line)) if spec.terminal else ()),
    ]
