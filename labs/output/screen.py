"""Plays the bytes of a run as a terminal would, line by line, with everything but text inert."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby

from labs.output.line import Line
from labs.output.page import PAGE, Limits, Page, Patch
from labs.output.rows import ENGLISH, STREAMS, Row, Words, note_row, row_html, row_text
from labs.output.scanner import Scanner

NAMED_CLASS = "output-control"
"""Of characters that can't be seen, or that reorder others, and so are shown by number."""
_SYMBOLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) != "\n"} | {0x7F: "␡"}
_HAS_SYMBOLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


class Screen:
    """One output, fed in any pieces; what it shows depends only on the bytes and their streams.

    A line belongs to one stream: text of the other one begins a new line.
    """

    def __init__(self, limits: Limits = PAGE, words: Words = ENGLISH) -> None:
        self._limits = limits
        self._words = words
        self._page = Page(limits, words)
        self._scanners: dict[str, Scanner] = {}
        self._begin_again()

    def _begin_again(self) -> None:
        self._scanners = {stream: Scanner() for stream in STREAMS}
        self._last_stream = "stdout"
        self._begin_line()

    def _begin_line(self) -> None:
        self._line = Line(self._limits.line_columns)
        self._owner = ""  # the stream whose text is in the line; empty while it has none

    def feed(self, data: bytes, stream: str) -> None:
        """Takes the next bytes; `stream` is `stdout` or `stderr`."""
        self._play(stream, data)

    def gap(self, bytes_left_out: int) -> None:
        """Takes note that bytes are missing here, whichever stream's they were."""
        if bytes_left_out > 0:
            if self._owner:
                self._end_line(self._owner)
            self._page.add(note_row(self._words.left_out("byte", bytes_left_out)))
            self._begin_again()

    def finish(self) -> None:
        """Shows a last character that was cut short: nothing more will come."""
        for stream in self._scanners:
            self._play(stream, b"", is_last=True)

    def patch(self) -> Patch | None:
        """What has changed since this was last asked for; None when nothing has."""
        return self._page.patch(self._open_row())

    def html(self) -> str:
        """All lines of the page, each an element that ends in a line break, to stand in `<pre>`."""
        return "".join(row_html(row) for row in self._page.rows(self._open_row()))

    def plain_text(self) -> str:
        """The page's words without markup, and without saying which stream a line is of."""
        lines = [row_text(row) for row in self._page.rows(self._open_row())]
        return "\n".join(lines if self._owner or not lines else [*lines, ""])

    def _play(self, stream: str, data: bytes, *, is_last: bool = False) -> None:
        scanner = self._scanners[stream]
        for token in scanner.tokens(data, is_last=is_last):
            match token.lastgroup:
                case "text":
                    self._show(token[0], stream, scanner.classes)
                case "control":
                    self._move(token[0])
                case "sequence" if not token["between"] and token["final"] == "m":
                    scanner.restyle(token["parameters"])
                case "sequence" if not token["between"] and token["final"] == "K":
                    self._line.erase(token["parameters"])

    def _move(self, control: str) -> None:
        match control:
            case "\r":
                self._line.carriage_return()
            case "\b":
                self._line.backspace()
            case "\t":
                self._line.tab()

    def _show(self, text: str, stream: str, classes: str) -> None:
        if not text.isprintable():
            if _HAS_SYMBOLS.search(text):
                text = text.replace("\r\n", "\n").translate(_SYMBOLS)
            *lines, text = text.split("\n")
            self._show_lines(lines, stream, classes)
        if text:
            self._write(text, stream, classes)

    def _show_lines(self, lines: list[str], stream: str, classes: str) -> None:
        """Plain ASCII, the bulk of most outputs, takes a short cut past the open line.

        Not the first two of its lines: one may end an open line, and one announce the stream.
        """
        slow = 2 if all(map(str.isascii, lines)) else len(lines)
        for line in lines[:slow]:
            if line:
                self._write(line, stream, classes)
            self._end_line(self._owner or stream)
        if len(lines) > slow:
            self._page.extend(lines[slow:], lambda line: self._plain_row(line, stream, classes))

    def _plain_row(self, text: str, stream: str, classes: str) -> Row:
        limit = self._limits.line_columns
        runs = ((classes, text[:limit]),) if text else ()
        return Row(runs, stream, fold=self._fold(len(text) - limit))

    def _write(self, text: str, stream: str, classes: str) -> None:
        if self._owner != stream:
            if self._owner:
                self._end_line(self._owner)
            self._owner = stream
        if text.isascii():
            self._line.write(text, classes)
        else:
            for kind, chars in groupby(text, key=_kind_of):
                self._write_kind(kind, "".join(chars), classes)

    def _write_kind(self, kind: str, text: str, classes: str) -> None:
        match kind:
            case "narrow":
                self._line.write(text, classes)
            case "wide":
                self._line.write(text, classes, width=2)
            case "mark":
                for char in text:
                    self._line.attach(char, classes)
            case "named":
                names = "".join(f"⟨U+{ord(char):04X}⟩" for char in text)
                self._line.write(names, NAMED_CLASS)

    def _end_line(self, stream: str) -> None:
        self._page.add(self._row(stream))
        self._last_stream = stream
        self._begin_line()

    def _open_row(self) -> Row | None:
        return self._row(self._owner) if self._owner else None

    def _row(self, stream: str) -> Row:
        is_said = stream == self._last_stream
        announcement = "" if is_said else self._words.announcements[stream]
        return Row(self._line.runs(), stream, announcement, self._fold(self._line.hidden))

    def _fold(self, hidden: int) -> str:
        return self._words.left_out("character", hidden) if hidden > 0 else ""


@lru_cache(maxsize=8192)
def _kind_of(char: str) -> str:
    """How a character takes its place: `narrow`, `wide`, `mark` (on the one before), `named`."""
    if char in "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}":
        return "mark"
    category = unicodedata.category(char)
    if category in ("Cf", "Zl", "Zp"):
        return "named"
    if category in ("Mn", "Me"):
        return "mark"
    return "wide" if unicodedata.east_asian_width(char) in "WF" else "narrow"
