"""A terminal's line to a lab that behaves as no supervisor of ours would."""

from __future__ import annotations

import asyncio
import os

from labs.engine import frames
from labs.engine.frames import Frame
from labs.engine.terminal_line import TerminalLine

NOISE = frames.encode(1, "shown", [("offset", 0)], b"x" * 60_000)


class EndlessStream:
    """There is always more to read, up to 10,000 pieces."""

    def __init__(self, piece: bytes) -> None:
        self._piece = piece
        self.reads = 0
        self._fd, end = os.pipe()
        os.close(end)  # its end is there to be read: so it is always ready

    def become_ready(self) -> int:
        return self._fd

    def read_ready(self) -> bytes:
        self.reads += 1
        return self._piece if self.reads < 10_000 else b""

    def write_ready(self, data: bytes | bytearray | memoryview) -> int:
        return len(data)

    def close(self) -> None:
        os.close(self._fd)


def test_a_lab_that_never_stops_sending_leaves_others_their_turn() -> None:
    async def turns() -> int:
        line = TerminalLine(EndlessStream(NOISE))
        others = 0
        while not line.is_cut:
            await asyncio.sleep(0)
            others += 1
        return others

    assert asyncio.run(turns()) > 100


def test_a_number_that_is_none_cuts_the_line_and_nothing_else() -> None:
    async def reads() -> int:
        stream = EndlessStream(frames.encode(1, "shown", [("offset", "many")]))
        line = TerminalLine(stream)
        line.begin("look", on_frame=read_offset)
        while not line.is_cut:
            await asyncio.sleep(0)
        return stream.reads

    assert asyncio.run(reads()) == 1


def read_offset(frame: Frame | None) -> None:
    assert frame is None or frame.number("offset") is not None
