"""What one run wrote: its head and its tail in one bounded file, true counts of all of it."""

import os
from bisect import bisect_right

STDOUT, STDERR = 0, 1
MERGE_MS = 50
HEAD_PIECES = 16 * 1024
TAIL_PIECES = 4 * 1024
TIME_BITS = 40
TIME_MASK = (1 << TIME_BITS) - 1


class Piece:
    """Bytes of one stream that belong together, with where and when they were written."""

    __slots__ = ("at_ms", "data", "offset", "stream")

    def __init__(self, offset: int, at_ms: int, stream: int, data: bytes) -> None:
        self.offset = offset
        self.at_ms = at_ms
        self.stream = stream
        self.data = data


class Starts:
    """Where pieces begin, in one number each: offset, time, stream.

    A program that writes single bytes to both streams in turn would otherwise fill the memory
    with our notes about it.
    """

    def __init__(self) -> None:
        self._numbers: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def note(self, offset: int, at_ms: int, stream: int) -> None:
        """Begins a piece, unless it follows the last of the same stream at once."""
        if self._numbers:
            _, last_ms, last_stream = self._unpack(len(self._numbers) - 1)
            if last_stream == stream and at_ms - last_ms < MERGE_MS:
                return
        self._numbers.append((offset << TIME_BITS | at_ms) << 1 | stream)

    def find(self, offset: int) -> tuple[int, int, int | None]:
        """Time and stream of the byte at `offset`, and where the next piece begins."""
        index = bisect_right(self._numbers, (offset + 1) << (TIME_BITS + 1)) - 1
        _, at_ms, stream = self._unpack(index)
        following = self._unpack(index + 1)[0] if index + 1 < len(self._numbers) else None
        return at_ms, stream, following

    def keep_last(self, count: int) -> int:
        """Forgets all but the last `count`; where the first of them begins."""
        del self._numbers[:-count]
        return self._unpack(0)[0]

    def _unpack(self, index: int) -> tuple[int, int, int]:
        number = self._numbers[index]
        return number >> (TIME_BITS + 1), number >> 1 & TIME_MASK, number & 1


class Spool:
    """The file holds the head from 0 on, and behind it the tail as a ring."""

    def __init__(self, path: str, head_bytes: int, tail_bytes: int) -> None:
        self.total = 0
        self.head_end = 0
        self._newlines = 0
        self._is_line_open = False
        self._path = path
        self._fd = -1
        self._head_bytes = head_bytes
        self._is_head_open = head_bytes > 0
        self._tail_bytes = tail_bytes
        self._tail_floor = 0
        self._head_starts = Starts()
        self._tail_starts = Starts()

    @property
    def lines(self) -> int:
        """Lines written; an unfinished last one counts."""
        return self._newlines + self._is_line_open

    @property
    def tail_start(self) -> int:
        return max(self.head_end, self._tail_floor, self.total - self._tail_bytes)

    @property
    def truncated(self) -> int:
        return self.tail_start - self.head_end

    @property
    def size(self) -> int:
        """The most bytes that the file takes."""
        return min(self.total, self._head_bytes + self._tail_bytes)

    def append(self, stream: int, at_ms: int, data: bytes) -> None:
        """Counts `data` and keeps what the budgets have room for."""
        kept = self._append_head(stream, at_ms, data) if self._is_head_open else 0
        if kept < len(data):
            self._append_tail(stream, at_ms, self.total + kept, data[kept:])
        self.total += len(data)
        self._newlines += data.count(b"\n")
        self._is_line_open = not data.endswith(b"\n")

    def _append_head(self, stream: int, at_ms: int, data: bytes) -> int:
        head = data[: self._head_bytes - self.head_end]
        if self._write(self.total, head):
            self._head_starts.note(self.total, at_ms, stream)
            self.head_end += len(head)
        self._is_head_open = (
            self.head_end == self.total + len(data)
            and self.head_end < self._head_bytes
            and len(self._head_starts) < HEAD_PIECES
        )
        return self.head_end - self.total

    def _append_tail(self, stream: int, at_ms: int, start: int, data: bytes) -> None:
        end = start + len(data)
        kept = data[max(0, len(data) - self._tail_bytes) :]
        if not self._tail_bytes or not self._write_ring(end - len(kept), kept):
            self._tail_floor = end
            return
        self._tail_starts.note(end - len(kept), at_ms, stream)
        if len(self._tail_starts) > 2 * TAIL_PIECES:
            self._tail_floor = max(self._tail_floor, self._tail_starts.keep_last(TAIL_PIECES))

    def _write_ring(self, offset: int, data: bytes) -> bool:
        position = offset % self._tail_bytes
        first = data[: self._tail_bytes - position]
        return self._write(self._head_bytes + position, first) and self._write(
            self._head_bytes, data[len(first) :]
        )

    def _write(self, position: int, data: bytes) -> bool:
        """False where there was no room: then the bytes count as left out."""
        try:
            if self._fd < 0:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            return os.pwrite(self._fd, data, position) == len(data)
        except OSError:
            return False

    def read(self, offset: int, limit: int, with_tail: bool) -> Piece | None:
        """The piece that begins at `offset`, or the tail's first after a gap; None at the end."""
        if offset < self.head_end:
            return self._piece(self._head_starts, offset, min(limit, self.head_end - offset), 0)
        offset = max(offset, self.tail_start)
        if not with_tail or offset >= self.total:
            return None
        in_ring = offset % self._tail_bytes
        limit = min(limit, self.total - offset, self._tail_bytes - in_ring)
        return self._piece(self._tail_starts, offset, limit, self._head_bytes + in_ring - offset)

    def _piece(self, starts: Starts, offset: int, limit: int, shift: int) -> Piece:
        at_ms, stream, following = starts.find(offset)
        if following is not None:
            limit = min(limit, following - offset)
        return Piece(offset, at_ms, stream, self._read(offset + shift, limit))

    def _read(self, position: int, count: int) -> bytes:
        if self._fd >= 0:
            return os.pread(self._fd, count, position)
        fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(fd, count, position)
        finally:
            os.close(fd)

    def close(self) -> None:
        """Gives back the descriptor; reading opens the file anew."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def drop(self) -> None:
        """Removes the file."""
        self.close()
        if os.path.exists(self._path):
            os.unlink(self._path)
