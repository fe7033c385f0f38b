"""Marks as CSV and XLSX, with ids that stay the same.

What the columns mean is in docs/teachers.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from tablib import Dataset

from course.gradebook import Row
from course.models import Assignment, Mark
from course.roster_file import safe_cell
from course.steps import Step

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
COLUMNS = (
    "student_id",
    "username",
    "name",
    "external_id",
    "assignment_id",
    "assignment",
    "lesson",
    "lesson_version",
    "handin_id",
    "attempt",
    "handed_in_at",
    "days_late",
    "to_mark",
    "raw",
    "penalty",
    "final",
    "maximum",
)
Cell = str | int | float | None


def export_assignment(
    assignment: Assignment, steps: Sequence[Step], rows: Sequence[Row], kind: str
) -> bytes:
    """One line for each student; a column for each step, named by its id. One query."""
    points = _points(rows)
    lines = (
        [*_line(assignment, row), *(points[row.handin].get(step.id) for step in steps)]
        for row in rows
    )
    return _write([*COLUMNS, *(step.id for step in steps)], lines, kind)


def export_class(pairs: Iterable[tuple[Assignment, Sequence[Row]]], kind: str) -> bytes:
    """One line for each student and assignment, without steps."""
    lines = (_line(assignment, row) for assignment, rows in pairs for row in rows)
    return _write(COLUMNS, lines, kind)


def _points(rows: Sequence[Row]) -> dict[int | None, dict[str, float | None]]:
    found: dict[int | None, dict[str, float | None]] = defaultdict(dict)
    handins = [row.handin for row in rows if row.handin is not None]
    marks = Mark.objects.filter(handin__in=handins)
    for handin, step, hundredths, verdict in marks.values_list(
        "handin_id", "step", "hundredths", "verdict"
    ):
        found[handin][step] = None if verdict == Mark.Verdict.WAITING else hundredths / 100
    return found


def _line(assignment: Assignment, row: Row) -> list[Cell]:
    student = row.student
    of_whom: list[Cell] = [student.pk, student.username, student.name, student.external_id]
    of_what: list[Cell] = [
        assignment.pk,
        assignment.title,
        assignment.lesson,
        assignment.lesson_version,
    ]
    if row.handin is None:
        return [*of_whom, *of_what, *[None] * 8, assignment.maximum]
    at = row.handed_in_at.astimezone(assignment.zone).isoformat(timespec="seconds")  # type: ignore[union-attr] # handed in
    points = [value / 100 for value in (row.earned, row.penalty, row.final)]
    when: list[Cell] = [row.handin, row.attempt, at, row.late.days, row.waiting]
    return [*of_whom, *of_what, *when, *points, assignment.maximum]


def _write(columns: Sequence[str], lines: Iterable[Sequence[Cell]], kind: str) -> bytes:
    """A text that a spreadsheet would take for a formula is stopped by an apostrophe."""
    data = Dataset(headers=[safe_cell(column) for column in columns], title="marks")
    for line in lines:
        data.append([safe_cell(cell) if isinstance(cell, str) else cell for cell in line])
    written = data.export(kind)
    return bytes(written) if kind == "xlsx" else ("\ufeff" + written).encode()
