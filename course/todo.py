"""What a student has to do: their assignments with dates, and what is left of each. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from course.answers import answers_of
from course.assignments import Dates, dates_of, lateness_of
from course.freezing import receipts_of
from course.judging import judge
from course.lateness import Lateness
from course.lessons.model import Lesson
from course.manifests import Content
from course.models import Assignment, Extension, HandIn, User
from course.steps import Step, steps_of

UPCOMING, OPEN, LATE, HANDED_IN, CLOSED, MARKED = (
    "upcoming",
    "open",
    "late",
    "handed_in",
    "closed",
    "marked",
)
TO_DO = (LATE, OPEN)
ORDER = (LATE, OPEN, UPCOMING, HANDED_IN, MARKED, CLOSED)


@dataclass(frozen=True)
class TodoLine:
    """One assignment as one student stands to it."""

    assignment: Assignment
    dates: Dates
    handin: HandIn | None
    """The one that counts, or the one whose files are being saved."""
    state: str

    @property
    def is_to_do(self) -> bool:
        return self.state in TO_DO

    @property
    def late(self) -> Lateness | None:
        """Of what was handed in."""
        if self.handin is None:
            return None
        return lateness_of(self.assignment, self.dates, self.handin.handed_in_at)


def todo_of(student: User, now: datetime) -> list[TodoLine]:
    """What is to be done first, then what is to come, then what is over. Three queries."""
    assignments = list(Assignment.objects.set_for(student).by_due())
    extensions = {
        e.assignment_id: e
        for e in Extension.objects.filter(student=student, assignment__in=assignments)
    }
    standing = HandIn.objects.filter(student=student, assignment__in=assignments)
    handins = newest_standing(standing)
    lines = [line_of(a, extensions.get(a.pk), handins.get(a.pk), now) for a in assignments]
    return sorted(lines, key=lambda line: (ORDER.index(line.state), line.dates.due_at))


def handed_in_elsewhere(student: User, lines: Iterable[TodoLine]) -> list[HandIn]:
    """What counts of theirs in classes that are archived or that they left, newest first.

    One query.
    """
    here = [line.assignment.pk for line in lines]
    counting = HandIn.objects.counting().filter(student=student).exclude(assignment__in=here)
    return list(counting.select_related("assignment__classroom"))


def newest_standing(handins: Iterable[HandIn]) -> dict[int, HandIn]:
    """Assignment id → the hand-in that counts or is about to."""
    newest: dict[int, HandIn] = {}
    for handin in handins:
        known = newest.get(handin.assignment_id)
        if handin.state in (HandIn.State.HANDED_IN, HandIn.State.COLLECTING) and (
            known is None or known.attempt < handin.attempt
        ):
            newest[handin.assignment_id] = handin
    return newest


def line_of(
    assignment: Assignment, extension: Extension | None, handin: HandIn | None, now: datetime
) -> TodoLine:
    dates = dates_of(assignment, extension)
    return TodoLine(assignment, dates, handin, state_of(assignment, dates, handin, now))


def state_of(assignment: Assignment, dates: Dates, handin: HandIn | None, now: datetime) -> str:
    if handin:
        return MARKED if assignment.is_released and handin.is_sealed else HANDED_IN
    if now < dates.opens_at:
        return UPCOMING
    if dates.is_closed(now):
        return CLOSED
    return LATE if now > dates.due_at else OPEN


@dataclass(frozen=True)
class Left:
    """What a student could still do before handing in."""

    steps: int
    empty_gaps: tuple[Step, ...]
    not_run: tuple[Step, ...]
    failing: tuple[tuple[Step, str], ...]
    """Commands whose newest run doesn't do what it should, and what is missing."""

    @property
    def is_nothing(self) -> bool:
        return not (self.empty_gaps or self.not_run or self.failing)

    @property
    def done(self) -> int:
        return self.steps - len(self.empty_gaps) - len(self.not_run) - len(self.failing)


def left_of(assignment: Assignment, lesson: Lesson, student: User) -> Left:
    """Whether an answer is right is not told: only what is empty, not run, or visibly fails."""
    steps = steps_of(lesson, assignment.points)
    receipts = receipts_of(student, lesson) if assignment.records_runs else {}
    content = Content(answers_of(student, lesson), receipts)
    judged = [(step, judge(step, content)) for step in steps]
    return Left(
        steps=len(steps),
        empty_gaps=tuple(s for s, j in judged if s.gap and j.verdict == "empty"),
        not_run=tuple(s for s, j in judged if s.block and j.verdict == "empty"),
        failing=tuple((s, j.reason) for s, j in judged if s.block and j.verdict == "wrong"),
    )
