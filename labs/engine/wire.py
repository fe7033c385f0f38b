"""One opened line to a supervisor: numbers requests, and sorts answers to who asked.

Frames (`labs.engine.frames`) go both ways over any stream of bytes. Several threads share a wire.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue
from typing import Protocol

from labs.engine import frames
from labs.engine.base import EngineError, RunForgotten, UnknownRun
from labs.engine.frames import BadFrame, Frame

ERRORS: Mapping[str, type[EngineError]] = {"unknown_run": UnknownRun, "forgotten": RunForgotten}

LINGER_S = 0.001
"""A short command's end comes about a millisecond after its output: one write serves both."""
BATCH_FRAMES = 16

Answers = SimpleQueue[Frame | None]
"""None: the wire is cut."""


class Stream(Protocol):
    """Bytes both ways. Closing it wakes whoever reads."""

    def read(self) -> bytes:
        """What came next; empty at the end."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class Broken(EngineError):
    """The line is cut; what was asked over it may or may not have been heard."""


class Wire:
    """One opened stream with a thread that reads it. Once broken, it stays broken."""

    def __init__(self, stream: Stream) -> None:
        self.heard_at = time.monotonic()
        self._stream = stream
        self._numbers = count(1)
        self._waiting: dict[int, Answers] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._is_broken = False
        threading.Thread(target=self._read_all, name="lab-link", daemon=True).start()

    @property
    def is_broken(self) -> bool:
        return self._is_broken

    def begin(self) -> tuple[int, Answers]:
        """A new request's number, and where its answers will be."""
        answers: Answers = SimpleQueue()
        with self._lock:
            if self._is_broken:
                raise Broken("The line to the lab is cut.")
            number = next(self._numbers)
            self._waiting[number] = answers
        return number, answers

    def end(self, number: int) -> None:
        with self._lock:
            self._waiting.pop(number, None)

    def send(self, data: bytes) -> None:
        try:
            with self._writing:
                self._stream.write(data)
        except OSError as error:
            self.close()
            raise Broken("The line to the lab is cut.") from error

    def close(self) -> None:
        with self._lock:
            self._is_broken = True
            waiting, self._waiting = self._waiting, {}
        for answers in waiting.values():
            answers.put(None)
        self._stream.close()

    def _read_all(self) -> None:
        decoder = frames.Decoder()
        with suppress(OSError, BadFrame, ValueError):
            while data := self._stream.read():
                self.heard_at = time.monotonic()
                for frame in decoder.feed(data):
                    self._deliver(frame)
        self.close()

    def _deliver(self, frame: Frame) -> None:
        if answers := self._waiting.get(frame.request):
            answers.put(frame)


def take(answers: Answers, wait_s: float) -> Frame:
    """The next answer. Raises Broken, queue.Empty, or what the supervisor's error stands for."""
    frame = answers.get(timeout=wait_s)
    if frame is None:
        raise Broken("The line to the lab was cut.")
    if frame.word == "error":
        raise ERRORS.get(frame.text("code"), EngineError)(frame.text("detail"))
    return frame


def take_batch(answers: Answers, wait_s: float, last_word: str) -> list[Frame]:
    """The next answer and what comes on its heels, up to `last_word`. Raises like `take`, but
    never once there is something: that is for the next time."""
    batch = [take(answers, wait_s)]
    with suppress(Empty):
        while len(batch) < BATCH_FRAMES and batch[-1].word != last_word:
            following = answers.get(timeout=LINGER_S)
            if following is None or following.word == "error":
                answers.put(following)
                break
            batch.append(following)
    return batch
