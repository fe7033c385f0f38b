"""Recordings of terminals, as asciicast v2: made from what a shell showed, read for a replay.

What was typed is not recorded, only what the screen showed: a hidden password stays hidden.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from labs.models import RecordingPiece, TerminalSession
from labs.output import WHOLE, Screen
from labs.terminals import Taken

FOUND_AT_MOST = 200
NOTES_AT_MOST = 100
"""Marks and sizes that wait for output: a browser can send any number of them."""
LEFT_OUT = "\r\n\x1b[7m[{} bytes were too many, too fast: they are left out]\x1b[0m\r\n"
CUT = "[The recording is full: what came after this was not recorded]"
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")


@dataclass(frozen=True)
class Event:
    """One line of a recording: `o` for output, `r` for a new size, `m` for a mark."""

    at_s: float
    code: str
    data: str

    def line(self) -> str:
        return json.dumps([round(self.at_s, 3), self.code, self.data], ensure_ascii=False) + "\n"


class Recorder:
    """Turns a shell's output into events. Goes on at `offset`, wherever another one had stopped."""

    def __init__(self, offset: int, at_s: float) -> None:
        self._offset = self._end = offset
        self._at_s = at_s
        self._carry = b""
        self._waiting: list[tuple[str, str]] = []
        self._events: list[Event] = []

    def note(self, code: str, data: str) -> None:
        """Puts a mark or a new size before the output that comes next; of too many the newest.

        A browser's text may hold half a character, which no row can keep.
        """
        self._waiting.append((code, data.encode(errors="replace").decode()))
        del self._waiting[:-NOTES_AT_MOST]

    def feed(self, offset: int, at_s: float, data: bytes) -> None:
        self._at_s = max(self._at_s, at_s)
        if offset > self._end:
            self._add("o", self._carry.decode(errors="replace"))
            self._add("o", LEFT_OUT.format(offset - self._end))
            self._carry = b""
        for code, noted in self._waiting:
            self._add(code, noted)
        self._waiting.clear()
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(self._carry + data)
        self._carry = decoder.getstate()[0]
        self._end = offset + len(data)
        self._add("o", text)

    def _add(self, code: str, data: str) -> None:
        if data:
            self._events.append(Event(self._at_s, code, data))

    def take(self) -> Taken | None:
        """What came since the last time; None for nothing. A half character waits for its rest."""
        end = self._end - len(self._carry)
        if end <= self._offset:
            return None
        lines = "".join(event.line() for event in self._events)
        taken = Taken(self._offset, end, self._at_s, lines)
        self._offset, self._events = end, []
        return taken


# Reading


def header_of(session: TerminalSession) -> str:
    """The first line of an asciicast file."""
    facts: dict[str, Any] = {
        "version": 2,
        "width": 80,
        "height": 24,
        "timestamp": int(session.opened_at.timestamp()),
        "env": {"SHELL": "/bin/bash", "TERM": "xterm-256color"},
    }
    return json.dumps(facts) + "\n"


def pieces_of(session: TerminalSession, until: datetime | None = None) -> Iterator[RecordingPiece]:
    """In order; with `until` only what was stored by then. One query."""
    pieces = session.pieces.filter(stored_at__lte=until) if until else session.pieces.all()
    yield from pieces.iterator()


def cast_of(session: TerminalSession, until: datetime | None = None) -> Iterator[str]:
    """The whole file, or what is in it up to `until`, piece by piece. One query."""
    yield header_of(session)
    for piece in pieces_of(session, until):
        yield piece.lines
    if session.is_cut and until is None:
        yield Event(session.recorded_s, "m", CUT).line()


def hash_of_recording(session: TerminalSession, until_byte: int) -> str:
    """SHA-256 of the file up to that byte of the shell's output: the same however it goes on."""
    digest = hashlib.sha256(header_of(session).encode())
    for piece in session.pieces.filter(offset__lt=until_byte).order_by("offset").iterator():
        digest.update(piece.lines.encode())
    return digest.hexdigest()


def events_of(session: TerminalSession, until: datetime | None = None) -> Iterator[Event]:
    """`splitlines` would also cut inside an event, at what other alphabets end a line by."""
    for piece in pieces_of(session, until):
        yield from (Event(*json.loads(line)) for line in piece.lines.split("\n") if line)


def text_of(session: TerminalSession, until: datetime | None = None) -> str:
    """All that was shown, as plain text in which nothing acts."""
    screen = Screen(WHOLE)
    for event in events_of(session, until):
        if event.code == "o":
            screen.feed(event.data.encode(), "stdout")
    screen.finish()
    return screen.plain_text()


@dataclass(frozen=True)
class Found:
    """A line of the screen with the words that were looked for, and when it was complete."""

    at_s: float
    line: str

    @property
    def clock(self) -> str:
        return clock(self.at_s)


def clock(seconds: float) -> str:
    """Such as 3:07."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def find_in(events: Iterable[Event], words: str) -> list[Found]:
    """The lines that hold `words`, whatever their capitals."""
    wanted = words.strip().lower()
    if not wanted:
        return []
    found = [each for each in shown_lines(events) if wanted in each.line.lower()]
    return found[:FOUND_AT_MOST]


def marks_in(events: Iterable[Event]) -> list[Found]:
    """What pages said of themselves that was run from them: the receipts know better."""
    return [Found(event.at_s, event.data) for event in events if event.code == "m"]


def shown_lines(events: Iterable[Event]) -> Iterator[Found]:
    """Each line as it stood when it ended, without colours."""
    line, at_s = "", 0.0
    for event in events:
        if event.code != "o":
            continue
        at_s = event.at_s
        *ended, line = (line + event.data).split("\n")
        yield from (Found(at_s, plain(each)) for each in ended)
    yield Found(at_s, plain(line))


def plain(line: str) -> str:
    """Without sequences; backspaces take back what they followed."""
    shown: list[str] = []
    for character in SEQUENCE.sub("", line):
        if character == "\b":
            del shown[-1:]
        elif character >= " ":
            shown.append(character)
    return "".join(shown)
