"""Frames between the supervisor and the site, as PROTOCOL.md describes them.

The site has its own reader and writer of the same format: the format is shared, not the code.
"""

import struct

HEAD = struct.Struct("!III")  # bytes after this number, request, bytes of the header
MAX_FRAME_BYTES = 2 * 1024 * 1024


class BadFrame(Exception):
    """The other side speaks something else: its connection is closed."""


class Frame:
    """One message: a word, what belongs to it, and raw bytes."""

    __slots__ = ("body", "fields", "request", "word")

    def __init__(self, request: int, header: bytes, body: bytes) -> None:
        word, *pairs = header.split(b"\0")
        self.request = request
        self.word = word.decode("ascii", "replace")
        self.body = body
        self.fields = [pair.partition(b"=")[::2] for pair in pairs]

    def all(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.fields if key == name]

    def text(self, name: bytes) -> str:
        return b"".join(self.all(name)[-1:]).decode("utf-8", "surrogateescape")

    def number(self, name: bytes, default: int) -> int:
        values = self.all(name)
        return int(values[-1]) if values else default


def encode(request: int, word: str, body: bytes, fields: dict[str, object]) -> bytes:
    """One frame's bytes. Values are written as text; none may hold a NUL."""
    parts = [word, *(f"{name}={value}" for name, value in fields.items())]
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
        while (frame := self._next()) is not None:
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
        return Frame(request, header, body)
