"""Frames to and from a lab's supervisor: the site's reader and writer of
`sandbox_images/agent/PROTOCOL.md`. The supervisor has its own; the format is shared, not the code.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from labs.engine.base import EngineError

HEAD = struct.Struct("!III")  # bytes after this number, request, bytes of the header
MAX_FRAME_BYTES = 2 * 1024 * 1024

NUMBER = re.compile(r"-?[0-9]{1,18}")
Value = str | int
Pairs = Iterable[tuple[str, Value]]


class BadFrame(EngineError):
    """The other side speaks something else."""


@dataclass(frozen=True)
class Frame:
    """One message: a word, what belongs to it, and raw bytes."""

    request: int
    word: str
    fields: tuple[tuple[str, str], ...]
    body: bytes = b""

    def text(self, name: str) -> str:
        """The last value called `name`; empty where there is none."""
        return next((value for key, value in reversed(self.fields) if key == name), "")

    def number(self, name: str) -> int | None:
        """None where there is none. Raises BadFrame for what is no number."""
        value = self.text(name)
        if value and not NUMBER.fullmatch(value):
            raise BadFrame("The lab's supervisor told a number that is none.")
        return int(value) if value else None


def encode(request: int, word: str, pairs: Pairs = (), body: bytes = b"") -> bytes:
    """One frame's bytes. Raises ValueError for a NUL, which would end a value early."""
    parts = [word, *(f"{name}={value}" for name, value in pairs)]
    if any("\0" in part for part in parts):
        raise ValueError("a NUL can't be part of a command, a variable or a path")
    header = "\0".join(parts).encode("utf-8", "surrogateescape")
    after = HEAD.size - 4 + len(header) + len(body)
    return HEAD.pack(after, request, len(header)) + header + body


class Decoder:
    """Cuts what arrives into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completed. Raises BadFrame."""
        self._buffer += data
        frames = []
        while frame := self._next():
            frames.append(frame)
        return frames

    def _next(self) -> Frame | None:
        if len(self._buffer) < HEAD.size:
            return None
        after, request, header_bytes = HEAD.unpack_from(self._buffer)
        end, body_at = 4 + after, HEAD.size + header_bytes
        if after > MAX_FRAME_BYTES or body_at > end:
            raise BadFrame(f"a frame of {after} bytes with a header of {header_bytes}")
        if len(self._buffer) < end:
            return None
        header = bytes(self._buffer[HEAD.size : body_at])
        body = bytes(self._buffer[body_at:end])
        del self._buffer[:end]
        return _read(request, header, body)


def _read(request: int, header: bytes, body: bytes) -> Frame:
    word, *pairs = header.decode("utf-8", "surrogateescape").split("\0")
    fields = tuple((name, value) for name, _, value in (pair.partition("=") for pair in pairs))
    return Frame(request, word, fields, body)
