"""Everybody's points in one assignment, or in all of a class. Reads only, a few plain queries.

Thousands of cells are joined as strings here: templates take several times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median

from course.assignments import Dates, dates_of, lateness_of
from course.lateness import IN_TIME, Lateness, penalty
from course.models import Assignment, Classroom, Extension, HandIn, Membership
from course.name_order import name_key
from course.plots import Histogram, histogram

PAGE_ROWS = 100
SHOW = ("all", "handed_in", "missing", "to_mark", "late")
SORT = ("name", "final", "-final", "handed_in")


@dataclass(frozen=True, slots=True)
class Student:
    pk: int
    username: str
    name: str
    external_id: str


@dataclass(frozen=True, slots=True)
class Row:
    """One student in one assignment. Points are in hundredths."""

    student: Student
    handin: int | None = None
    attempt: int = 0
    handed_in_at: datetime | None = None
    late: Lateness = IN_TIME
    earned: int = 0
    waiting: int = 0

    @property
    def penalty(self) -> int:
        return penalty(self.earned, self.late) if self.late.percent else 0

    @property
    def final(self) -> int:
        return self.earned - self.penalty


@dataclass(frozen=True)
class View:
    """What somebody wants to see of it."""

    show: str = "all"
    sort: str = "name"
    find: str = ""
    page: int = 1


@dataclass(frozen=True)
class Figures:
    """Of those who handed in."""

    handed_in: int
    missing: int
    to_mark: int
    mean: float
    """In points, as are the next three."""
    median: float
    least: float
    most: float
    plot: Histogram


def read_view(sent: Mapping[str, str]) -> View:
    show, sort, page = sent.get("show", ""), sent.get("sort", ""), sent.get("page", "")
    return View(
        show=show if show in SHOW else "all",
        sort=sort if sort in SORT else "name",
        find=sent.get("find", "").strip()[:100],
        page=max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 6 else 1,
    )


def students_of(classroom: Classroom) -> list[Student]:
    """Who is in it now, by name. One query."""
    rows = Membership.objects.current().students().filter(classroom=classroom)
    found = rows.values_list(
        "user_id", "user__username", "user__first_name", "user__last_name", "external_id"
    )
    students = [
        Student(pk, username, f"{first} {last}".strip() or username, external)
        for pk, username, first, last, external in found
    ]
    return sorted(students, key=lambda student: (name_key(student.name), student.pk))


def rows_of(assignment: Assignment) -> list[Row]:
    """Every student with what they handed in, by name. Three queries, however many they are."""
    return _rows(students_of(assignment.classroom), [assignment])[assignment.pk]


def rows_of_class(classroom: Classroom, assignments: Sequence[Assignment]) -> dict[int, list[Row]]:
    """Assignment id → rows, all in the same order of students. Three queries."""
    return _rows(students_of(classroom), assignments)


def _rows(students: Sequence[Student], assignments: Sequence[Assignment]) -> dict[int, list[Row]]:
    dates = _dates(assignments)
    counting = HandIn.objects.counting().filter(assignment__in=assignments).order_by()
    handins = {
        (row[0], row[1]): row[2:]
        for row in counting.values_list(
            "assignment_id", "student_id", "pk", "attempt", "handed_in_at", "earned", "waiting"
        )
    }
    return {
        assignment.pk: [
            _row(assignment, student, handins.get((assignment.pk, student.pk)), dates)
            for student in students
        ]
        for assignment in assignments
    }


def _dates(assignments: Sequence[Assignment]) -> dict[tuple[int, int], Dates]:
    """Assignment and student → their own dates, for those who have some."""
    by_pk = {assignment.pk: assignment for assignment in assignments}
    extensions = Extension.objects.filter(assignment__in=assignments)
    return {
        (e.assignment_id, e.student_id): dates_of(by_pk[e.assignment_id], e) for e in extensions
    }


def _row(
    assignment: Assignment,
    student: Student,
    handin: tuple[int, int, datetime, int, int] | None,
    dates: Mapping[tuple[int, int], Dates],
) -> Row:
    if handin is None:
        return Row(student)
    pk, attempt, at, earned, waiting = handin
    late = IN_TIME
    if at > assignment.due_at:
        own = dates.get((assignment.pk, student.pk)) or dates_of(assignment, None)
        late = lateness_of(assignment, own, at)
    return Row(student, pk, attempt, at, late, earned, waiting)


def chosen(rows: Iterable[Row], view: View) -> list[Row]:
    """Those that were asked for, in the order that was asked for."""
    wanted = view.find.casefold()
    found = [
        row
        for row in rows
        if _is_shown(row, view.show)
        and (not wanted or wanted in f"{row.student.name} {row.student.username}".casefold())
    ]
    if view.sort == "handed_in":
        return sorted(found, key=lambda row: (row.handed_in_at is None, row.handed_in_at or 0))
    if view.sort != "name":
        return sorted(found, key=lambda row: row.final, reverse=view.sort == "-final")
    return found


def _is_shown(row: Row, show: str) -> bool:
    match show:
        case "handed_in":
            return row.handin is not None
        case "missing":
            return row.handin is None
        case "to_mark":
            return row.waiting > 0
        case "late":
            return row.late.is_late
    return True


def figures(rows: Sequence[Row], maximum: int) -> Figures:
    """`maximum` in hundredths of a point."""
    finals = [row.final for row in rows if row.handin is not None]
    known = finals or [0]
    return Figures(
        handed_in=len(finals),
        missing=len(rows) - len(finals),
        to_mark=sum(row.waiting for row in rows),
        mean=round(fmean(known) / 100, 2),
        median=round(median(known) / 100, 2),
        least=min(known) / 100,
        most=max(known) / 100,
        plot=histogram([final / maximum for final in finals] if maximum else []),
    )
