"""One open line to the site: frames in, frames out, and the runs that are followed over it."""

from __future__ import annotations

import os
from select import EPOLLIN, EPOLLOUT
from time import monotonic

import frames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from loop import Loop
    from runs import Run

READ_BYTES = 64 * 1024
PIECE_BYTES = 32 * 1024
HIGH_WATER_BYTES = 256 * 1024
PACE_S = 0.01
SOON_S = 0.02
STREAMS = ("stdout", "stderr")
FORGOTTEN = "The output of this run was dropped while it was read."


class Follow:
    """One reader of one run, and how far it has read."""

    __slots__ = ("not_before", "offset", "request", "run")

    def __init__(self, request: int, run: Run, offset: int) -> None:
        self.request = request
        self.run = run
        self.offset = offset
        self.not_before = 0.0

    def next_frame(self) -> bytes | None:
        """The next piece of output, None when there is none (yet). The tail comes at the end."""
        piece = self.run.spool.read(self.offset, PIECE_BYTES, self.run.is_over)
        if piece is None:
            return None
        self.offset = piece.offset + len(piece.data)
        stream = STREAMS[piece.stream]
        fields = {"offset": piece.offset, "stream": stream, "at_ms": piece.at_ms}
        return frames.encode(self.request, "output", piece.data, fields)


class Connection:
    """Never holds much: a follower that reads slowly finds its output in the spool."""

    def __init__(self, loop: Loop, fd: int, answer: Callable[[Connection, frames.Frame], None]):
        self.when_drained: set[Callable[[], None]] = set()
        self.when_closed: set[Callable[[], None]] = set()
        self._loop = loop
        self._fd = self._out_fd = fd
        self._answer = answer
        self._decoder = frames.Decoder()
        self._out = bytearray()
        self._follows: dict[int, Follow] = {}
        self._is_reading = True
        self._was_full = False
        self._events = EPOLLIN
        os.set_blocking(fd, False)
        loop.watch(fd, self._ready)

    @property
    def is_full(self) -> bool:
        return len(self._out) >= HIGH_WATER_BYTES

    def send(self, request: int, word: str, body: bytes = b"", **fields: object) -> None:
        """Sends one frame; to nobody once the other end is gone."""
        if self._fd < 0:
            return
        self._out += frames.encode(request, word, body, fields)
        self._flush()

    def send_soon(self, request: int, word: str, **fields: object) -> None:
        """Sends one frame that nobody waits for with the next one, or in a moment."""
        if self._fd >= 0:
            self._out += frames.encode(request, word, b"", fields)
            self._loop.call_at((self, "soon"), monotonic() + SOON_S, self._flush)

    # Following

    def follow(self, request: int, run: Run, offset: int) -> None:
        """Sends what the run has written from `offset` on, as it comes, and its receipt."""
        self._follows[request] = Follow(request, run, offset)
        run.readers.add(self._pump)
        self._pump()

    def leave(self, request: int) -> None:
        """Ends one follow. The run itself goes on."""
        follow = self._follows.pop(request, None)
        if follow is not None and follow.run not in [left.run for left in self._follows.values()]:
            follow.run.readers.discard(self._pump)

    def _pump(self) -> None:
        for follow in tuple(self._follows.values()):
            self._advance(follow)
        self._flush()

    def _advance(self, follow: Follow) -> None:
        """Not more often than every few milliseconds: many small frames are dear to the site."""
        if follow.run.is_forgotten:
            self.leave(follow.request)
            fields: dict[str, object] = {"code": "forgotten", "detail": FORGOTTEN}
            self._out += frames.encode(follow.request, "error", b"", fields)
            return
        now = monotonic()
        if now < follow.not_before and not follow.run.is_over:
            self._loop.call_at(self, follow.not_before, self._pump)
            return
        while not self.is_full and (frame := follow.next_frame()) is not None:
            self._out += frame
            follow.not_before = now + PACE_S
        if self.is_full:
            self._was_full = True
        elif follow.run.is_over:
            self._out += frames.encode(follow.request, "exit", b"", follow.run.receipt)
            self.leave(follow.request)

    # Bytes

    def pause(self) -> None:
        """Reads no more requests until `resume`."""
        self._is_reading = False
        self._set_events()

    def resume(self) -> None:
        self._is_reading = True
        self._set_events()

    def _set_events(self) -> None:
        events = (EPOLLIN if self._is_reading else 0) | (EPOLLOUT if self._out else 0)
        if self._fd >= 0 and events != self._events:
            self._events = events
            self._loop.change(self._fd, events)

    def _ready(self, events: int) -> None:
        if events & EPOLLOUT:
            self._flush()
        if events & ~EPOLLOUT and self._fd >= 0:
            self._receive()

    def _receive(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
            arrived = self._decoder.feed(data)
        except (OSError, frames.BadFrame):
            data, arrived = b"", []
        if not data:
            self.close()
        for frame in arrived:
            self._answer(self, frame)

    def _flush(self) -> None:
        if not self._out or self._fd < 0:
            return
        try:
            while self._out:
                del self._out[: os.write(self._out_fd, self._out[:READ_BYTES])]
        except BlockingIOError:
            self._set_events()
            return
        except OSError:
            self.close()
            return
        self._set_events()
        self._drained()

    def _drained(self) -> None:
        for tell in tuple(self.when_drained):
            tell()
        if self._was_full:
            self._was_full = False
            self._loop.call_at(self, 0.0, self._pump)

    def close(self) -> None:
        if self._fd < 0:
            return
        self._loop.close(self._fd)
        self._loop.cancel(self)
        self._loop.cancel((self, "soon"))
        self._fd = -1
        self._out.clear()
        for request in tuple(self._follows):
            self.leave(request)
        for tell in tuple(self.when_closed):
            tell()
