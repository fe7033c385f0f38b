"""The bytes of one `docker exec`, both ways: takes the engine's framing off what comes."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from typing import Any

READ_BYTES = 64 * 1024
WRITE_S = 10
STDOUT = 1
HEADER_BYTES = 8


class Demultiplexer:
    """Keeps standard output. Eight bytes (kind, length) stand before each piece of the stream."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._is_output = False
        self._left = 0

    def feed(self, data: bytes) -> bytes:
        self._buffer += data
        output = bytearray()
        while self._left or self._take_header():
            piece = self._buffer[: self._left]
            if not piece:
                break
            del self._buffer[: len(piece)]
            self._left -= len(piece)
            if self._is_output:
                output += piece
        return bytes(output)

    def _take_header(self) -> bool:
        """Also skips pieces of no length."""
        while not self._left and len(self._buffer) >= HEADER_BYTES:
            kind, self._left = struct.unpack_from("!B3xI", self._buffer)
            self._is_output = kind == STDOUT
            del self._buffer[:HEADER_BYTES]
        return self._left > 0


class ExecStream:
    """A `labs.engine.supervisor_link.Stream` over what the SDK gives for a started exec."""

    def __init__(self, started: Any) -> None:
        """`started` is what `exec_start(socket=True)` returned."""
        self._socket: socket.socket = getattr(started, "_sock", started)
        self._response = started._response
        self._demultiplexer = Demultiplexer()
        self._socket.settimeout(None)
        self._socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", WRITE_S, 0)
        )

    def read(self) -> bytes:
        while data := self._socket.recv(READ_BYTES):
            if output := self._demultiplexer.feed(data):
                return output
        return b""

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    # For an event loop, which waits by itself

    def become_ready(self) -> int:
        """The descriptor to wait on; from now on only `read_ready` and `write_ready` are used."""
        self._socket.setblocking(False)
        return self._socket.fileno()

    def read_ready(self) -> bytes | None:
        """What is there; None for nothing yet, empty at the end."""
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return None
        return (self._demultiplexer.feed(data) or None) if data else b""

    def write_ready(self, data: bytes | bytearray | memoryview) -> int:
        """How many of these bytes could be written now."""
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        """Wakes the reader. The response goes first, else the descriptor stays open."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._response.close()
        self._socket.close()
