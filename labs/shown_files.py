"""Files of students as pages show them: text in which nothing acts, and line by line differences.

Pure. Characters that can't be seen, or that reorder others, are shown by number.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

MAX_SHOWN_BYTES = 1024 * 1024
MAX_LINES = 2_000
MAX_COLUMNS = 2_000
MAX_COMPARED_BYTES = 256 * 1024
MAX_COMPARED_LINES = 3_000
CONTEXT_LINES = 3
WINDOWS_END = b"\r\n"
_TAIL = re.compile(r"[ \t\r]+$")
_PLACE = re.compile(r"@@ -\S+ \+(\d+)")
_SIGNS = {" ": "·", "\t": "→", "\r": "␍"}


@dataclass(frozen=True)
class ShownText:
    """The beginning of a text file."""

    html: SafeString
    lines: int
    """Of the whole file, as far as it was read."""
    is_cut: bool
    """Lines, or columns of a line, are left out."""


@dataclass(frozen=True)
class Line:
    """One line of a difference."""

    kind: str
    """`added`, `removed`, `same`, or `place` for where in the file it goes on."""
    html: SafeString

    @property
    def sign(self) -> str:
        return {"added": "+", "removed": "−", "same": " ", "place": ""}[self.kind]


def is_text(data: bytes) -> bool:
    """Whether a page can show it: as `git` judges, a NUL makes it something else."""
    return b"\0" not in data[: 64 * 1024]


def show_text(data: bytes) -> ShownText:
    """At most MAX_LINES lines of at most MAX_COLUMNS; the rest is for the download."""
    lines = _lines(data[:MAX_SHOWN_BYTES])
    shown = [visible(line[:MAX_COLUMNS]) for line in lines[:MAX_LINES]]
    is_cut = (
        len(lines) > MAX_LINES
        or len(data) > MAX_SHOWN_BYTES
        or any(len(line) > MAX_COLUMNS for line in lines[:MAX_LINES])
    )
    return ShownText(mark_safe("\n".join(shown)), len(lines), is_cut)  # noqa: S308 - escaped


def can_compare(*contents: bytes) -> bool:
    """Beyond these sizes a comparison would take a page too long."""
    return all(
        is_text(data)
        and len(data) <= MAX_COMPARED_BYTES
        and data.count(b"\n") <= MAX_COMPARED_LINES
        for data in contents
    )


def differences(before: bytes, after: bytes) -> list[Line]:
    """What was removed and added, with a few lines around; empty for the same text."""
    old, new = _lines(before), _lines(after)
    lines = difflib.unified_diff(old, new, n=CONTEXT_LINES, lineterm="")
    shown = [_line(line) for line in list(lines)[2:]]
    return [*shown, *_about_the_end(before, after)]


def visible(text: str, *, with_spaces: bool = False) -> str:
    """Safe HTML of one line. `with_spaces` shows blanks at the end and tabs as signs."""
    end = _TAIL.search(text) if with_spaces else None
    body, tail = (text[: end.start()], end[0]) if end else (text, "")
    parts = [_safe(body, with_tabs=with_spaces)]
    parts += [_named(_SIGNS[char]) for char in tail]
    return "".join(parts)


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    lines = text.split("\n")
    return lines[:-1] if lines and lines[-1] == "" else lines


def _line(line: str) -> Line:
    kind = {"+": "added", "-": "removed", " ": "same"}.get(line[:1], "place")
    if kind == "place":
        return Line(kind, mark_safe(escape(_words_of_place(line))))  # noqa: S308 - escaped
    changed = kind != "same"
    html = visible(line[1 : MAX_COLUMNS + 1], with_spaces=changed)
    return Line(kind, mark_safe(html))  # noqa: S308 - escaped


def _words_of_place(line: str) -> str:
    """From `@@ -1,3 +1,5 @@`: where the lines that follow stand afterwards."""
    found = _PLACE.match(line)
    return _("from line %(number)s") % {"number": found[1]} if found else line


def _about_the_end(before: bytes, after: bytes) -> Iterator[Line]:
    """Files that differ in their line ends alone would otherwise seem the same."""
    for kind, data, other in (("removed", before, after), ("added", after, before)):
        if data and not data.endswith(b"\n") and (other.endswith(b"\n") or not other):
            yield Line(kind, mark_safe(_named(_("no line end at the end of the file"))))  # noqa: S308 - escaped
    if (old := before.count(WINDOWS_END)) != (new := after.count(WINDOWS_END)):
        words = _("line ends of Windows: %(old)s before, %(new)s after") % {"old": old, "new": new}
        yield Line("place", mark_safe(escape(words)))  # noqa: S308 - escaped


def _safe(text: str, *, with_tabs: bool) -> str:
    if text.isascii() and text.isprintable():
        return escape(text, quote=False)
    return "".join(_safe_char(char, with_tabs) for char in text)


@lru_cache(maxsize=8192)
def _safe_char(char: str, with_tabs: bool) -> str:
    if char == "\t":
        return f"{_named(_SIGNS[char])}\t" if with_tabs else char
    if ord(char) < 0x20:
        return _named(chr(0x2400 + ord(char)))
    if char == "\x7f" or unicodedata.category(char) in ("Cf", "Zl", "Zp", "Cc", "Co", "Cn", "Cs"):
        return _named(f"⟨U+{ord(char):04X}⟩")
    return escape(char, quote=False)


def _named(sign: str) -> str:
    return f'<span class="output-control">{escape(sign)}</span>'
