"""The thousands of cells of a class board, as joined strings; the frame is in `board.html`.

Everything that people wrote is escaped here.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from course.board import Board, BoardRow
from course.models import Assignment
from course.standing import DIFFERS, PASSED, RAN, RUNNING, UNTOUCHED
from course.steps import Step

SIGNS = {
    UNTOUCHED: "·",
    RUNNING: "▸",
    RAN: "○",
    DIFFERS: "≠",
    PASSED: "✓",
    "stuck": "!",
    "asked": "?",
}
DIGEST_CHARS = 4
ROW_ID = "board-row-"


def words_of_states() -> dict[str, str]:
    """What each sign means, in the order of the legend."""
    return {
        PASSED: _("passed"),
        DIFFERS: _("differs from what is asked for"),
        RAN: _("written or run; somebody has to look"),
        RUNNING: _("running now"),
        UNTOUCHED: _("untouched"),
        "stuck": _("stuck for 8 minutes"),
        "asked": _("asked for help here"),
    }


class Shown(NamedTuple):
    """One row as it is shown."""

    place: int
    """From 1 on."""
    who: str
    """HTML."""
    states: Sequence[str]
    signs: Sequence[str]
    """The same, but for what is more urgent at a step."""

    @property
    def passed(self) -> int:
        return self.states.count(PASSED)


@dataclass(frozen=True)
class BoardHtml:
    """The rows, and what tells later whether one has changed."""

    words: _Words
    shown: Sequence[Shown]
    said: SafeString
    seen: str
    """A digest of who stands here, and one of each row."""

    @property
    def body(self) -> SafeString:
        return mark_safe("".join(map(self.words.row, self.shown)))  # noqa: S308 - every word in it is escaped or ours

    @property
    def total_row(self) -> SafeString:
        return mark_safe(self.words.totals(self.shown))  # noqa: S308 - numbers

    def changed_since(self, seen: str) -> SafeString | None:
        """The rows that are not as they were seen; None where other people or steps stand here."""
        if seen[:DIGEST_CHARS] != self.seen[:DIGEST_CHARS] or len(seen) != len(self.seen):
            return None
        rows = [
            self.words.row(shown)
            for at, shown in enumerate(self.shown, start=1)
            if _digest_at(seen, at) != _digest_at(self.seen, at)
        ]
        rows.append(self.total_row)
        swapped = "".join([row.replace("<tr ", '<tr hx-swap-oob="true" ', 1) for row in rows])
        return mark_safe(swapped)  # noqa: S308 - as above


def _digest_at(seen: str, place: int) -> str:
    return seen[place * DIGEST_CHARS : (place + 1) * DIGEST_CHARS]


def board_html(assignment: Assignment, board: Board, *, shows_names: bool) -> BoardHtml:
    words = _Words(assignment, board.steps, shows_names=shows_names)
    shown = [words.shown(at, row) for at, row in enumerate(board.rows, start=1)]
    frame = [*(step.id for step in board.steps), *(str(row.student.pk) for row in board.rows)]
    seen = "".join([digest("/".join(frame)), *map(_digest_of, shown)])
    return BoardHtml(words, shown, _said(board, shows_names=shows_names), seen)


def _digest_of(shown: Shown) -> str:
    return digest(f"{shown.who} {' '.join(shown.signs)} {shown.passed}")


def digest(text: str) -> str:
    """Four letters: one change in sixteen million is overlooked, until the next one."""
    return base64.urlsafe_b64encode(zlib.crc32(text.encode()).to_bytes(4, "big")[1:]).decode()


def head_html(steps: Sequence[Step]) -> SafeString:
    heads = (f'<th scope="col"><span>{escape(step.label)}</span></th>' for step in steps)
    return mark_safe("".join(heads))  # noqa: S308 - labels are escaped


def _said(board: Board, *, shows_names: bool) -> SafeString:
    """Who needs somebody, in a sentence that is read aloud when it changes."""
    asking, stuck = board.asking, board.stuck
    if not asking and not stuck:
        return SafeString(escape(_("Nobody asks for help and nobody is stuck.")))
    counts = [
        (asking, ngettext("%(n)d asks for help", "%(n)d ask for help", len(asking))),
        (stuck, ngettext("%(n)d is stuck", "%(n)d are stuck", len(stuck))),
    ]
    parts = [_count(rows, words, shows_names=shows_names) for rows, words in counts if rows]
    return SafeString(escape(" · ".join(parts)))


def _count(rows: Sequence[BoardRow], words: str, *, shows_names: bool) -> str:
    names = f": {', '.join(row.student.name for row in rows)}" if shows_names else ""
    return words % {"n": len(rows)} + names


class _Words:
    """The few words of the cells, looked up once for a page."""

    def __init__(self, assignment: Assignment, steps: Sequence[Step], *, shows_names: bool) -> None:
        self._steps = len(steps)
        self._cells = {state: _cell(state, words) for state, words in words_of_states().items()}
        self._shows_names = shows_names
        self._link = reverse("course:review", args=[assignment.pk, "~"]).replace("~", "%s")
        self._zone: ZoneInfo = assignment.zone
        self._stuck = escape(_("stuck"))
        self._asked = escape(_("asks for help since %(time)s"))
        self._passed = escape(_("passed"))

    def shown(self, place: int, row: BoardRow) -> Shown:
        signs = row.states
        if row.stuck_at is not None or row.asked_step is not None:
            signs = list(signs)
            for step, state in ((row.stuck_at, "stuck"), (row.asked_step, "asked")):
                if step is not None:
                    signs[step] = state
        return Shown(place, self._who(place, row), row.states, signs)

    def row(self, shown: Shown) -> str:
        cells = "".join(map(self._cells.__getitem__, shown.signs))
        return (
            f'<tr id="{ROW_ID}{shown.place}"><th scope="row">{shown.who}</th>{cells}'
            f'<td class="number">{shown.passed} / {self._steps}</td></tr>'
        )

    def _who(self, place: int, row: BoardRow) -> str:
        student = row.student
        who = str(place)
        if self._shows_names:
            address = self._link % student.username
            who = f'<a id="board-who-{place}" href="{escape(address)}">{escape(student.name)}</a>'
        if row.asked_at:
            at = date_format(row.asked_at.astimezone(self._zone), "H:i")
            who += f' <span class="tag tag-bad">{self._asked % {"time": at}}</span>'
        if row.stuck_at:
            who += f' <span class="tag tag-wait">{self._stuck}</span>'
        return who

    def totals(self, rows: Sequence[Shown]) -> str:
        """How many have passed each step."""
        passed = [
            column.count(PASSED) for column in zip(*[row.states for row in rows], strict=True)
        ]
        counts = "".join([f"<td>{count}</td>" for count in passed])
        return (
            f'<tr id="board-totals"><th scope="row">{self._passed}</th>{counts}'
            f'<td class="number">{sum(passed)}</td></tr>'
        )


def _cell(state: str, words: str) -> str:
    return (
        f'<td class="step-{state}">&#{ord(SIGNS[state])};'
        f'<span class="visually-hidden"> {escape(words)}</span></td>'
    )
