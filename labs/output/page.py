"""Which lines the page shows, and how a page that was shown earlier is brought up to date."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from labs.output.rows import Row, Words, note_row, row_html

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """What a page shows of an output; a line between head and tail says what is left out."""

    head_lines: int = 1000
    tail_lines: int = 1000
    line_columns: int = 4000


PAGE = Limits()
WHOLE = Limits(head_lines=sys.maxsize, line_columns=sys.maxsize)
"""Nothing left out: for a download, of an output that is bounded elsewhere."""


@dataclass(frozen=True)
class Fold:
    """Of a page's lines, `drop` give way at `at` to the one line in `html`."""

    at: int
    drop: int
    html: str


@dataclass(frozen=True)
class Patch:
    """Brings a page up to date: do the fold where there is one, cut the lines from `start` on,
    then add `lines`. Lines are counted from 0, and each is one element."""

    start: int
    lines: tuple[str, ...]
    fold: Fold | None = None

    def as_dict(self) -> dict[str, object]:
        """For JSON: `from`, `lines`, and `fold` (`at`, `drop`, `html`) only where there is one."""
        patch: dict[str, object] = {"from": self.start, "lines": list(self.lines)}
        if self.fold:
            patch["fold"] = vars(self.fold).copy()
        return patch


@dataclass(frozen=True)
class _Asked:
    """The page as it was when last asked for."""

    finished: int = 0
    total: int = 0
    left_out: int = 0
    open_html: str = ""


class Page:
    """Finished lines, of which memory holds only what is shown.

    Beside them there may be one open line, the last, which can still change. Lines are numbered
    from 0, those left out included; nothing ever takes a line away again.
    """

    def __init__(self, limits: Limits, words: Words) -> None:
        self._limits = limits
        self._words = words
        self._head: list[Row] = []
        self._tail: deque[Row] = deque(maxlen=limits.tail_lines)
        self._finished = 0
        self._asked = _Asked()

    def add(self, row: Row) -> None:
        (self._head if len(self._head) < self._limits.head_lines else self._tail).append(row)
        self._finished += 1

    def extend(self, lines: Sequence[T], as_row: Callable[[T], Row]) -> None:
        """Adds finished lines; `as_row` is called only for those that will be shown."""
        room = self._limits.head_lines - len(self._head)
        kept_from = max(room, len(lines) - self._limits.tail_lines)
        self._head += map(as_row, lines[:room])
        self._tail.extend(map(as_row, lines[kept_from:]))
        self._finished += len(lines)

    def rows(self, open_row: Row | None) -> list[Row]:
        """All that the page shows, in order."""
        opened = [open_row] if open_row else []
        left_out = self._left_out(self._finished + len(opened))
        if not left_out:
            return [*self._head, *self._tail, *opened]
        kept_from = self._finished - len(self._tail)
        tail = [*islice(self._tail, self._limits.head_lines + left_out - kept_from, None), *opened]
        return [*self._head, self._note(left_out, tail[0]), *tail]

    def patch(self, open_row: Row | None) -> Patch | None:
        """What has changed since this was last asked for; None when nothing has."""
        total = self._finished + (open_row is not None)
        open_html = row_html(open_row) if open_row else ""
        now = _Asked(self._finished, total, self._left_out(total), open_html)
        before, self._asked = self._asked, now
        if now == before:
            return None
        rows, start = self.rows(open_row), before.finished
        head = self._limits.head_lines
        if start >= head and now.left_out:
            start = 1 + max(start - now.left_out, head)
        lines = tuple(row_html(row) for row in rows[start:])
        if before.finished < head or now.left_out == before.left_out:
            return Patch(start, lines)
        return Patch(start, lines, self._fold(before, now, rows[head]))

    def _fold(self, before: _Asked, now: _Asked, note: Row) -> Fold:
        head = self._limits.head_lines
        dropped = min(head + now.left_out, before.total) - (head + before.left_out)
        return Fold(head, dropped + bool(before.left_out), row_html(note))

    def _left_out(self, total: int) -> int:
        return max(0, total - self._limits.head_lines - self._limits.tail_lines)

    def _note(self, left_out: int, following: Row) -> Row:
        """Says too which stream goes on after it, as a line that did so may be left out."""
        is_said = following.announcement or following.kind == self._head[-1].kind
        announcement = "" if is_said else self._words.announcements.get(following.kind, "")
        return note_row(self._words.left_out("line", left_out), announcement)
