"""The thousands of cells of a gradebook, as joined strings; the frame is in `gradebook.html`.

Everything that people wrote is escaped here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from urllib.parse import quote
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from course.gradebook import Row
from course.json_rows import fetch_plain, placeholders, rows_as_json
from course.models import Assignment
from course.plots import Histogram
from course.steps import Step, show_points

NOTHING = '<td class="number muted">–</td>'
WAITING = '<td class="number to-mark">?</td>'


def body_html(assignment: Assignment, steps: Sequence[Step], rows: Sequence[Row]) -> SafeString:
    """The rows of the table. One query for all of its marks."""
    marks = _marks(rows)
    empty = NOTHING * len(steps)
    order = tuple(step.id for step in steps)
    link = reverse("course:handin-detail", args=[0]).replace("0", "%d")
    zone, words = assignment.zone, _Words()
    lines = []
    for row in rows:
        if row.handin is None:
            lines.append(f"<tr>{_head(row, '')}<td>{words.missing}</td>{empty}{NOTHING * 3}</tr>")
            continue
        cells = _cells(order, marks.get(row.handin, "[]"))
        lines.append(
            f"<tr>{_head(row, link % row.handin)}<td>{words.when(row, zone)}</td>{cells}"
            f'{_number(row.earned)}{_number(row.penalty)}<td class="number final">'
            f"{show_points(row.final)}</td></tr>"
        )
    return mark_safe("".join(lines))  # noqa: S308 - every word in it is escaped or ours


def head_html(assignment: Assignment, steps: Sequence[Step]) -> SafeString:
    """A heading for each step, which leads to its answers."""
    address = f"{reverse('course:marking', args=[assignment.pk])}?show=all&amp;step="
    heads = (
        f'<th scope="col" class="number"><a href="{address}{quote(step.id)}">'
        f'{escape(step.label)}</a> <span class="muted">/ {step.points}</span></th>'
        for step in steps
    )
    return mark_safe("".join(heads))  # noqa: S308 - labels are escaped


def plot_html(plot: Histogram) -> SafeString:
    """The picture, with its words for those who don't see it."""
    bars = (
        f'<rect class="bar" x="{bar.x}" y="{bar.y}" width="{bar.width}" height="{bar.height}"/>'
        f'<text class="bar-label" x="{bar.middle}" y="{plot.height}" dy="-5">{bar.label}</text>'
        for bar in plot.bars
    )
    counts = (
        f'<text class="bar-count" x="{bar.middle}" y="{bar.y}" dy="-3">{bar.count}</text>'
        for bar in plot.bars
        if bar.count
    )
    axis = f'<line class="axis" x1="0" y1="{plot.floor}" x2="{plot.width}" y2="{plot.floor}"/>'
    return mark_safe(  # noqa: S308 - numbers and words of ours
        f'<svg viewBox="0 0 {plot.width} {plot.height}" role="img" aria-label="{plot.sentence}">'
        f"{''.join(bars)}{''.join(counts)}{axis}</svg>"
    )


def _marks(rows: Sequence[Row]) -> Mapping[int, str]:
    """Hand-in → its marks as JSON. One query."""
    handins = [row.handin for row in rows if row.handin is not None]
    if not handins:
        return {}
    sql = f"""
        SELECT handin_id, {rows_as_json("step, hundredths, verdict")} FROM course_mark
        WHERE handin_id IN ({placeholders("%s", len(handins))}) GROUP BY handin_id
    """  # noqa: S608 - only placeholders are put in
    return dict(fetch_plain(sql, handins))


@lru_cache(maxsize=4_000)
def _cells(order: Sequence[str], marks: str) -> str:
    """The cells of one row; joined once for marks that are the same to the letter."""
    found = {
        step: WAITING if verdict == "waiting" else _cell(hundredths)
        for step, hundredths, verdict in json.loads(marks)
    }
    return "".join([found.get(step, NOTHING) for step in order])


@lru_cache(maxsize=1024)
def _cell(hundredths: int) -> str:
    return f'<td class="number">{show_points(hundredths)}</td>'


_number = _cell


def _head(row: Row, link: str) -> str:
    name = escape(row.student.name)
    shown = f'<a href="{link}">{name}</a>' if link else name
    return f'<th scope="row">{shown}</th>'


class _Words:
    """The few words of the cells, looked up once for a page."""

    def __init__(self) -> None:
        self.missing = escape(_("not handed in"))
        self.late = escape(_("late"))
        self._known: dict[object, str] = {}

    def when(self, row: Row, zone: ZoneInfo) -> str:
        at = row.handed_in_at
        if at is None:
            return self.missing
        minute = at.replace(second=0, microsecond=0)
        if minute not in self._known:
            self._known[minute] = escape(date_format(at.astimezone(zone), _("j M, H:i")))
        shown = self._known[minute]
        return f"{shown} ({self.late})" if row.late.is_late else shown
