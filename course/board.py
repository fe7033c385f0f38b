"""Where everybody stands in an assignment just now: students × steps. A few plain queries."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from course.block_outcomes import Newest, judge, judged_before
from course.gradebook import Student
from course.lesson_page import origin_of
from course.lessons.marking import Verdict, mark_gap
from course.lessons.model import Gap, Lesson
from course.library import why_not_runnable
from course.models import Answer, Assignment, HelpRequest
from course.plain_columns import Seconds, as_text, plain_rows
from course.steps import Step, all_steps
from labs.models import Run
from labs.newest_runs import newest_of_owners

UNTOUCHED, RUNNING, RAN, DIFFERS, PASSED = "untouched", "running", "ran", "differs", "passed"
STATES = (UNTOUCHED, RUNNING, RAN, DIFFERS, PASSED)
STUCK_AFTER_S = 8 * 60
GONE_AFTER_S = 45 * 60
"""Whoever did nothing for a whole lesson is not stuck but gone."""
PAGE_ROWS = 200
KEPT_VERDICTS = 50_000


class Cell(NamedTuple):
    state: str
    at_s: float
    """When it was written or run last, in seconds since 1970."""


@dataclass(frozen=True)
class BoardRow:
    """One student. Only steps that were touched have a cell."""

    student: Student
    cells: Mapping[str, Cell] = field(default_factory=dict)
    """Step → how it stands."""
    stuck_at: str = ""
    """The step that they don't get past; empty for none."""
    asked_at: datetime | None = None
    """Since when they wait for somebody to come."""
    asked_step: str = ""
    """Where they were when they asked, if it was in this lesson."""


@dataclass(frozen=True)
class Board:
    steps: Sequence[Step]
    rows: Sequence[BoardRow]

    @property
    def stuck(self) -> list[BoardRow]:
        return [row for row in self.rows if row.stuck_at]

    @property
    def asking(self) -> list[BoardRow]:
        """Who waits longest first."""
        waiting = [(row.asked_at, at) for at, row in enumerate(self.rows) if row.asked_at]
        return [self.rows[at] for _, at in sorted(waiting)]


def board_of(lesson: Lesson, students: Sequence[Student], now: datetime) -> Board:
    """These students, in this order. Four queries, and those of blocks not judged before."""
    steps = steps_on_board(lesson)
    pks = [student.pk for student in students]
    cells: dict[int, dict[str, Cell]] = defaultdict(dict)
    _add_answers(cells, lesson, steps, pks)
    _add_runs(cells, lesson, steps, pks)
    asked = _asked(lesson, pks)
    return Board(steps, [_row(student, cells[student.pk], asked, now) for student in students])


def steps_on_board(lesson: Lesson) -> list[Step]:
    """All but the commands that nobody can run here."""
    steps = all_steps(lesson)
    return [step for step in steps if not (step.block and why_not_runnable(step.block.command))]


def _row(
    student: Student,
    cells: Mapping[str, Cell],
    asked: Mapping[int, tuple[datetime, str]],
    now: datetime,
) -> BoardRow:
    asked_at, asked_step = asked.get(student.pk, (None, ""))
    return BoardRow(student, cells, stuck_step(cells, now.timestamp()), asked_at, asked_step)


def stuck_step(cells: Mapping[str, Cell], now_s: float) -> str:
    """The step that somebody has been at for STUCK_AFTER_S without getting on; empty for none.

    It is the one touched last, it differs, and nothing has come right since the first try that is
    known, or since anything last came right.
    """
    if not cells:
        return ""
    last = max(cells, key=lambda step: cells[step].at_s)
    if cells[last].state != DIFFERS or now_s - cells[last].at_s > GONE_AFTER_S:
        return ""
    came_right = [cell.at_s for cell in cells.values() if cell.state in (PASSED, RAN)]
    since_s = max(came_right, default=min(cell.at_s for cell in cells.values()))
    return last if now_s - since_s >= STUCK_AFTER_S else ""


def _add_answers(
    cells: dict[int, dict[str, Cell]], lesson: Lesson, steps: Iterable[Step], students: list[int]
) -> None:
    verdicts = {step.gap.id: (step.id, _verdicts_of(step.gap)) for step in steps if step.gap}
    rows = Answer.objects.of_lesson(lesson.slug).filter(user__in=students)
    for student, gap, text, at_s in plain_rows(rows, "user_id", "gap", "text", Seconds("saved_at")):
        if gap in verdicts:
            step, known = verdicts[gap]
            state = known.get(text) or known.judge(text)
            if state != UNTOUCHED:
                cells[student][step] = Cell(state, at_s)


class _Verdicts(dict[str, str]):
    """Answer → state, by one gap's key: a class writes much the same, poll after poll."""

    def __init__(self, gap: Gap) -> None:
        super().__init__()
        self._gap = gap

    def judge(self, text: str) -> str:
        state = _STATE_OF_VERDICT[mark_gap(self._gap, text).verdict]
        if len(self) > KEPT_VERDICTS // 50:
            self.clear()
        self[text] = state
        return state


_STATE_OF_VERDICT = {
    Verdict.RIGHT: PASSED,
    Verdict.NEARLY: DIFFERS,
    Verdict.WRONG: DIFFERS,
    Verdict.FOR_TEACHER: RAN,
    Verdict.EMPTY: UNTOUCHED,
}
_known: dict[Gap, _Verdicts] = {}


def _verdicts_of(gap: Gap) -> _Verdicts:
    if gap not in _known and len(_known) > KEPT_VERDICTS // 50:
        _known.clear()
    return _known.setdefault(gap, _Verdicts(gap))


def _add_runs(
    cells: dict[int, dict[str, Cell]], lesson: Lesson, steps: Iterable[Step], students: list[int]
) -> None:
    blocks = {origin_of(lesson, step.block): step.block.id for step in steps if step.block}
    columns = (as_text("pk"), "owner_id", "origin", "state", Seconds("queued_at"))
    rows = plain_rows(newest_of_owners(students, list(blocks)), *columns)
    states = judged_before(lesson, students)
    fresh = [
        Newest(run, student, blocks[origin])
        for run, student, origin, state, _ in rows
        if run not in states and state not in Run.ACTIVE
    ]
    if fresh:
        states |= judge(lesson, fresh)
    step_of = {origin: f"block:{block}" for origin, block in blocks.items()}
    for run, student, origin, state, at_s in rows:
        came_to = RUNNING if state in Run.ACTIVE else states.get(run, RAN)
        cells[student][step_of[origin]] = Cell(came_to, at_s)


def _asked(lesson: Lesson, students: list[int]) -> dict[int, tuple[datetime, str]]:
    """Student → since when they ask for help, and at which step."""
    waiting = HelpRequest.objects.waiting().filter(student__in=students)
    rows: Iterable[Any] = waiting.values_list("student_id", "asked_at", "run__origin")
    return {student: (at, _step_of(lesson, origin or "")) for student, at, origin in rows}


def _step_of(lesson: Lesson, origin: str) -> str:
    slug, _, block = origin.partition("#")
    return f"block:{block}" if slug == lesson.slug else ""


def mixed(assignment: Assignment, students: Sequence[Student]) -> list[Student]:
    """In an order that tells nobody's name, the same each time: for a board on a wall."""
    return sorted(students, key=lambda student: _place_on_wall(assignment.pk, student.pk))


def _place_on_wall(assignment: int, student: int) -> str:
    return hashlib.sha256(f"board/{assignment}/{student}".encode()).hexdigest()
