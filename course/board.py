"""Where everybody stands in an assignment just now: students × steps. A few plain queries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from course.block_outcomes import Newest, judge
from course.board_rows import Left, left_in
from course.gradebook import Student
from course.lessons.model import Lesson
from course.library import why_not_runnable
from course.models import Assignment
from course.standing import UNTOUCHED, Ruler, Standing, is_stuck, standing_of
from course.steps import Step, all_steps

PAGE_ROWS = 200
KEPT_RULERS = 100


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One student."""

    student: Student
    states: Sequence[str]
    """How each of the board's steps stands."""
    stuck_at: int | None = None
    """Place of the step that they don't get past."""
    asked_at: datetime | None = None
    """Since when they wait for somebody to come."""
    asked_step: int | None = None
    """Place of the step where they were when they asked, if it was in this lesson."""

    @property
    def has_begun(self) -> bool:
        return any(state != UNTOUCHED for state in self.states)


@dataclass(frozen=True)
class Board:
    steps: Sequence[Step]
    rows: Sequence[BoardRow]

    @property
    def columns(self) -> list[Sequence[str]]:
        """The states of each step, in the order of rows."""
        return [[row.states[place] for row in self.rows] for place in range(len(self.steps))]

    @property
    def stuck(self) -> list[BoardRow]:
        return [row for row in self.rows if row.stuck_at is not None]

    @property
    def asking(self) -> list[BoardRow]:
        """Who waits longest first."""
        waiting = [(row.asked_at, at) for at, row in enumerate(self.rows) if row.asked_at]
        return [self.rows[at] for _, at in sorted(waiting)]


def board_of(
    lesson: Lesson, students: Sequence[Student], now: datetime, until: datetime | None = None
) -> Board:
    """These students, in this order. Two queries, and those of blocks not judged before.

    `until`: what was written or run later is not there.
    """
    ruler = _ruler_of(lesson)
    left = left_in(lesson, list(ruler.places), [student.pk for student in students], until)
    standings = {pk: standing_of(ruler, answers, runs) for pk, (answers, runs, _) in left.items()}
    standings |= _judge_fresh(lesson, ruler, left, standings)
    rows = [_row(student, standings[student.pk], now) for student in students]
    for place, student in enumerate(students):
        if asked := left[student.pk].asked:
            rows[place] = _asking(rows[place], asked, lesson, ruler)
    return Board(ruler.steps, rows)


_rulers: dict[tuple[str, ...], Ruler] = {}


def _ruler_of(lesson: Lesson) -> Ruler:
    """The same one for the same version in the same track: what it has judged before is known."""
    key = (lesson.slug, lesson.version, *lesson.gaps, *lesson.blocks)
    if key not in _rulers and len(_rulers) > KEPT_RULERS:
        _rulers.clear()
    return _rulers.get(key) or _rulers.setdefault(key, Ruler(steps_on_board(lesson)))


def steps_on_board(lesson: Lesson) -> list[Step]:
    """All but the commands that nobody can run here."""
    steps = all_steps(lesson)
    return [step for step in steps if not (step.block and why_not_runnable(step.block.command))]


def _judge_fresh(
    lesson: Lesson, ruler: Ruler, left: Mapping[int, Left], standings: Mapping[int, Standing]
) -> dict[int, Standing]:
    """The standing of those who have run something since a board was last asked for."""
    fresh = [
        Newest(run, student, block)
        for student, standing in standings.items()
        if standing.unjudged
        for run, block in standing.unjudged
    ]
    if not fresh:
        return {}
    states = judge(lesson, fresh)
    return {
        each.student: standing_of(
            ruler, left[each.student].answers, _judged(left[each.student].runs, states)
        )
        for each in fresh
    }


def _judged(runs: str, states: Mapping[str, str]) -> str:
    """The runs with what was judged just now, as they will be read the next time."""
    known = [run and [run[0] or states.get(run[1]), *run[1:]] for run in json.loads(runs)]
    return json.dumps(known, ensure_ascii=False, separators=(",", ":"))


def _row(student: Student, standing: Standing, now: datetime) -> BoardRow:
    tried = standing.trying
    return BoardRow(
        student, standing.states, tried.place if tried and is_stuck(tried, now) else None
    )


def _asking(row: BoardRow, asked: str, lesson: Lesson, ruler: Ruler) -> BoardRow:
    at, origin = json.loads(asked)
    slug, _, block = (origin or "").partition("#")
    step = ruler.places.get(block) if slug == lesson.slug else None
    return replace(row, asked_at=datetime.fromisoformat(at), asked_step=step)


def mixed(assignment: Assignment, students: Sequence[Student]) -> list[Student]:
    """In an order that tells nobody's name, the same each time: for a board on a wall."""
    return sorted(students, key=lambda student: _place_on_wall(assignment.pk, student.pk))


def _place_on_wall(assignment: int, student: int) -> str:
    return hashlib.sha256(f"board/{assignment}/{student}".encode()).hexdigest()
