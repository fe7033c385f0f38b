"""What a class made of a lesson: commonest wrong answers, failing blocks, minutes spent.

Rows are read in a few plain queries; what follows from them is pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple

from course.board import Board, board_of
from course.gradebook import Student
from course.lesson_page import origin_of
from course.lessons.marking import Verdict, mark_gap, normalise
from course.lessons.model import Gap, Lesson
from course.models import Answer, AnswerEntry
from course.standing import DIFFERS, PASSED, RUNNING, UNTOUCHED
from course.steps import Step
from labs.models import Run

PAUSE = timedelta(minutes=10)
"""Whoever does nothing for longer was doing something else."""
COMMONEST = 3


class Event(NamedTuple):
    """Somebody wrote or ran something."""

    student: int
    step: str
    at: datetime


class Try(NamedTuple):
    """One run of a block that is over."""

    step: str
    exit_code: int | None


@dataclass(frozen=True)
class Common:
    """Something that several did."""

    text: str
    count: int


@dataclass(frozen=True)
class StepFigures:
    step: Step
    touched: int
    """Students who wrote or ran something."""
    passed: int
    differs: int
    tries: int
    """Runs altogether; 0 for gaps."""
    wrong: Sequence[Common]
    """The commonest wrong answers, or the commonest exit codes that were not asked for."""
    minutes: float | None
    """Of the student in the middle; None where nobody stayed long enough to tell."""


@dataclass(frozen=True)
class ClassFigures:
    steps: Sequence[StepFigures]
    students: int
    started: int
    minutes: float | None
    """That the student in the middle spent on all of it."""

    @property
    def hardest(self) -> list[StepFigures]:
        """Where most don't get past, worst first."""
        failing = [figures for figures in self.steps if figures.differs]
        return sorted(failing, key=lambda f: -f.differs / max(1, f.touched))[:COMMONEST]


def figures_of(lesson: Lesson, students: Sequence[Student], now: datetime) -> ClassFigures:
    """Of these students, up to that time. Three queries besides those of a board."""
    pks = [student.pk for student in students]
    board = board_of(lesson, students, now, until=now)
    texts, written = _answers(lesson, pks, now)
    tries, ran = _runs(lesson, pks, now)
    return figures_from(board, texts=texts, tries=tries, minutes=minutes_spent([*written, *ran]))


def _answers(
    lesson: Lesson, students: Sequence[int], until: datetime
) -> tuple[Mapping[str, list[str]], list[Event]]:
    """Gap id → its texts; and when each was written, the earlier ones too."""
    theirs = {"user__in": students, "saved_at__lte": until}
    answers = Answer.objects.of_lesson(lesson.slug).filter(**theirs)
    entries = AnswerEntry.objects.of_lesson(lesson.slug).filter(**theirs)
    texts: dict[str, list[str]] = defaultdict(list)
    events = [
        Event(user, f"gap:{gap}", at)
        for user, gap, at in entries.values_list("user_id", "gap", "saved_at")
    ]
    for user, gap, text, at in answers.values_list("user_id", "gap", "text", "saved_at"):
        texts[gap].append(text)
        events.append(Event(user, f"gap:{gap}", at))
    return texts, events


def _runs(
    lesson: Lesson, students: Sequence[int], until: datetime
) -> tuple[list[Try], list[Event]]:
    blocks = {origin_of(lesson, block): f"block:{id_}" for id_, block in lesson.blocks.items()}
    rows = Run.objects.filter(owner__in=students, origin__in=blocks, queued_at__lte=until).over()
    found = list(rows.values_list("owner_id", "origin", "exit_code", "queued_at"))
    return (
        [Try(blocks[origin], code) for _, origin, code, _ in found],
        [Event(owner, blocks[origin], at) for owner, origin, _, at in found],
    )


# Pure --------------------------------------------------------------------------------------------


def figures_from(
    board: Board,
    *,
    texts: Mapping[str, Sequence[str]],
    tries: Sequence[Try],
    minutes: Mapping[int, Mapping[str, float]],
) -> ClassFigures:
    """`texts`: gap id → answers; `minutes`: student → step → minutes."""
    codes: dict[str, list[int | None]] = defaultdict(list)
    for each in tries:
        codes[each.step].append(each.exit_code)
    return ClassFigures(
        steps=[
            _step_figures(step, states, texts, codes, minutes)
            for step, states in zip(board.steps, board.columns, strict=True)
        ],
        students=len(board.rows),
        started=sum(row.has_begun for row in board.rows),
        minutes=_middle([sum(each.values()) for each in minutes.values()]),
    )


def _step_figures(
    step: Step,
    states: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    codes: Mapping[str, Sequence[int | None]],
    minutes: Mapping[int, Mapping[str, float]],
) -> StepFigures:
    found = codes.get(step.id, ())
    return StepFigures(
        step=step,
        touched=len(states) - states.count(RUNNING) - states.count(UNTOUCHED),
        passed=states.count(PASSED),
        differs=states.count(DIFFERS),
        tries=len(found),
        wrong=wrong_answers(step.gap, texts.get(step.gap.id, ()))
        if step.gap
        else wrong_codes(step.block.exit_code if step.block else 0, found),
        minutes=_middle([each[step.id] for each in minutes.values() if each.get(step.id)]),
    )


def wrong_answers(gap: Gap, texts: Iterable[str]) -> list[Common]:
    """The commonest that the key takes for wrong or nearly right, as most of them spelled it."""
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for text, count in Counter(texts).items():
        if mark_gap(gap, text).verdict in (Verdict.WRONG, Verdict.NEARLY):
            spelled[normalise(text, gap.ignore)][text.strip()] += count
    counted = [Common(each.most_common(1)[0][0], each.total()) for each in spelled.values()]
    return sorted(counted, key=lambda common: (-common.count, common.text))[:COMMONEST]


def wrong_codes(wanted: int, codes: Iterable[int | None]) -> list[Common]:
    """The commonest exit codes other than the one asked for."""
    wrong = Counter(code for code in codes if code is not None and code != wanted)
    return [Common(str(code), count) for code, count in wrong.most_common(COMMONEST)]


def minutes_spent(events: Iterable[Event]) -> Mapping[int, Mapping[str, float]]:
    """Student → step → minutes: the time before each deed is spent on it, unless it was a pause."""
    found: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    last: dict[int, datetime] = {}
    for event in sorted(events, key=lambda event: event.at):
        since = event.at - last.get(event.student, event.at)
        last[event.student] = event.at
        if since < PAUSE:
            found[event.student][event.step] += since.total_seconds() / 60
    return found


def _middle(minutes: Sequence[float]) -> float | None:
    return round(median(minutes), 1) if minutes else None
