"""A line to one lab's supervisor for an event loop: terminals, key by key.

The threads of `labs.engine.wire` would cost each key two hops; here the loop itself reads and
writes. All of it happens in the loop's own thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count

from labs.engine import frames
from labs.engine.base import EngineError, LabGone, Line
from labs.engine.frames import BadFrame, Frame
from labs.engine.supervisor_link import VERSION

ANSWER_S = 10.0
READS = 8
"""Half a megabyte, then it is others' turn, even of one who never ends."""
OnFrame = Callable[[Frame | None], None]
"""None: the line is cut."""


class TerminalLine:
    """Numbers requests and hands each answer to who asked."""

    def __init__(self, stream: Line) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._fd = stream.become_ready()
        self._decoder = frames.Decoder()
        self._numbers = count(1)
        self._waiting: dict[int, OnFrame] = {}
        self._out = bytearray()
        self._is_waiting = False
        self.is_cut = False
        self._loop.add_reader(self._fd, self._read)

    async def greet(self) -> None:
        """Raises EngineError for another protocol, LabGone where nobody answers."""
        hello = await self.ask("hello")
        if hello.number("version") != VERSION:
            raise EngineError("This lab speaks another version: it has to be rebuilt.")

    # Asking

    async def ask(self, word: str, pairs: frames.Pairs = (), body: bytes = b"") -> Frame:
        """The one answer. Raises LabGone, EngineError."""
        answered: asyncio.Future[Frame | None] = self._loop.create_future()

        def answer(frame: Frame | None) -> None:
            if not answered.done():
                answered.set_result(frame)

        number = self.begin(word, pairs, body, on_frame=answer)
        try:
            frame = await asyncio.wait_for(answered, ANSWER_S)
        except TimeoutError:
            raise EngineError("The lab's supervisor did not answer in time.") from None
        finally:
            self.end(number)
        return checked(frame)

    def begin(
        self, word: str, pairs: frames.Pairs = (), body: bytes = b"", *, on_frame: OnFrame
    ) -> int:
        """Asks; every answer goes to `on_frame` until `end`. The number of the request."""
        number = next(self._numbers)
        self._waiting[number] = on_frame
        self.send(number, word, pairs, body)
        return number

    def end(self, number: int) -> None:
        self._waiting.pop(number, None)

    def send(self, number: int, word: str, pairs: frames.Pairs = (), body: bytes = b"") -> None:
        """With number 0 nothing is answered. A cut line takes everything and says nothing."""
        if self.is_cut:
            self._loop.call_soon(self._tell_one, number)
            return
        self._out += frames.encode(number, word, pairs, body)
        self._write()

    def _tell_one(self, number: int) -> None:
        if on_frame := self._waiting.pop(number, None):
            on_frame(None)

    # Bytes

    def _read(self) -> None:
        try:
            for _ in range(READS):
                if (data := self._stream.read_ready()) is None:
                    return
                arrived = self._decoder.feed(data)
                if not data:
                    self.close()
                    return
                for frame in arrived:
                    if on_frame := self._waiting.get(frame.request):
                        on_frame(frame)
                if len(data) < frames.HEAD.size * 64:
                    return  # most likely all there was: one call saved for each key
        except (OSError, BadFrame):
            self.close()

    def _write(self) -> None:
        if self.is_cut:
            return
        try:
            while self._out and (written := self._stream.write_ready(self._out)):
                del self._out[:written]
        except OSError:
            self.close()
            return
        if bool(self._out) != self._is_waiting:
            self._wait_to_write(bool(self._out))

    def _wait_to_write(self, is_waiting: bool) -> None:
        self._is_waiting = is_waiting
        if is_waiting:
            self._loop.add_writer(self._fd, self._write)
        else:
            self._loop.remove_writer(self._fd)

    def close(self) -> None:
        if self.is_cut:
            return
        self.is_cut = True
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        with suppress(OSError):
            self._stream.close()
        waiting, self._waiting = self._waiting, {}
        for on_frame in waiting.values():
            on_frame(None)


def checked(frame: Frame | None) -> Frame:
    """The frame itself. Raises what its error stands for."""
    if frame is None:
        raise LabGone("The line to the lab was cut.")
    if frame.word == "error":
        raise EngineError(frame.text("detail"))
    return frame
