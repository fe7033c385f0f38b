"""The last output of a terminal: enough to draw its screen again, and when each piece came."""

RING_BYTES = 256 * 1024
SLACK_BYTES = 64 * 1024
MERGE_MS = 40
NOTES = 4096
LINE_BYTES = 4096
ASKED = b"\x1b[?"
KEPT_MODES = (b"1", b"7", b"9", b"25", b"47", b"1000", b"1002", b"1003", b"1006", b"1047", b"1049")
KEPT_MODES += (b"2004",)
ON_AT_FIRST = (b"7", b"25")


class Ring:
    """Keeps the last bytes by offset. What falls out leaves behind the modes that it had set."""

    def __init__(self) -> None:
        self.start = self.end = 0
        self._bytes = bytearray()
        self._notes: list[tuple[int, int]] = []
        self._modes: dict[bytes, bool] = {}

    def append(self, data: bytes, at_ms: int) -> None:
        if not self._notes or at_ms - self._notes[-1][1] >= MERGE_MS:
            self._notes.append((self.end, at_ms))
        self._bytes += data
        self.end += len(data)
        if len(self._bytes) > RING_BYTES + SLACK_BYTES:
            self._drop(len(self._bytes) - RING_BYTES)
        if len(self._notes) > 2 * NOTES:
            del self._notes[:-NOTES]

    def _drop(self, count: int) -> None:
        """Cuts behind a line, so that no sequence is left without its beginning."""
        line_end = self._bytes.find(b"\n", count, count + LINE_BYTES)
        cut = line_end + 1 if line_end >= 0 else count
        note_modes(self._modes, bytes(self._bytes[:cut]))
        del self._bytes[:cut]
        self.start += cut
        while len(self._notes) > 1 and self._notes[1][0] <= self.start:
            del self._notes[0]

    def read(self, offset: int, limit: int) -> bytes:
        """From `offset`, which is not before `start`."""
        at = offset - self.start
        return bytes(self._bytes[at : at + limit])

    def read_noted(self, offset: int, limit: int) -> tuple[bytes, int]:
        """Only what came at about the same moment as the byte at `offset`, and that moment."""
        at_ms, end = 0, self.end
        for noted, noted_ms in reversed(self._notes):
            if noted <= offset:
                at_ms = noted_ms
                break
            end = noted
        return self.read(offset, min(limit, end - offset)), at_ms

    def is_on(self, mode: bytes) -> bool:
        """Whether a private mode is set now."""
        modes = dict(self._modes)
        note_modes(modes, bytes(self._bytes))
        return modes.get(mode, False)

    def is_full_screen(self) -> bool:
        """Whether the modes that fell out say that a program has the whole screen."""
        return any(self._modes.get(mode) for mode in (b"47", b"1047", b"1049"))

    def preamble(self) -> bytes:
        """Brings a fresh screen into the state in which the kept bytes begin."""
        if not self.start:
            return b""
        changed = [
            ASKED + mode + (b"h" if self._modes[mode] else b"l")
            for mode in KEPT_MODES
            if mode in self._modes and self._modes[mode] != (mode in ON_AT_FIRST)
        ]
        return b"\x1bc" + b"".join(changed)


def note_modes(modes: dict[bytes, bool], data: bytes) -> None:
    """Reads the private modes that `data` sets and resets, such as the full screen's."""
    at = data.find(ASKED)
    while at >= 0:
        end = begin = at + len(ASKED)
        while end < len(data) and data[end] in b"0123456789;":
            end += 1
        if end < len(data) and data[end] in b"hl":
            for mode in data[begin:end].split(b";"):
                modes[mode] = data[end] in b"h"
        at = data.find(ASKED, end)
