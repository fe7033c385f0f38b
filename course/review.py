"""What a teacher reads of a student's work. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from course.lessons.model import Gap, Lesson
from course.models import Answer, Classroom, User
from course.outcomes import Outcome, outcomes_of
from labs.models import Run, RunQuerySet
from labs.rendering import RunView, view_of_run

RUNS_SHOWN = 30


@dataclass(frozen=True)
class AnswerLine:
    gap: Gap
    answer: Answer | None


@dataclass(frozen=True)
class LessonWork:
    """One student's answers and runs in one lesson."""

    lesson: Lesson
    answers: list[AnswerLine]
    runs: list[tuple[RunView, Outcome | None]]
    """The newest, newest first; beside each what became of it, where its command still stands."""
    older_runs: list[RunView]
    """All the others, to be named and linked: their outputs together may be very large."""


def students_with_counts(classroom: Classroom) -> Iterable[User]:
    """The students with `answers_count`, `runs_count`. One query, in which the two never meet.

    Of an archived class as it was when it ended.
    """
    answers = Answer.objects.filter(user=OuterRef("pk")).exclude(text="")
    runs = Run.objects.filter(owner=OuterRef("pk"))
    if until := classroom.archived_at:
        answers, runs = answers.filter(saved_at__lte=until), runs.filter(queued_at__lte=until)
    return classroom.students().annotate(
        answers_count=_count_of(answers, "user"), runs_count=_count_of(runs, "owner")
    )


def _count_of(rows: QuerySet[Any], owner: str) -> Coalesce:
    counted = rows.order_by().values(owner).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def lesson_work(student: User, lesson: Lesson, until: datetime | None = None) -> LessonWork:
    """All of it, or what was written and run up to that time."""
    written = Answer.objects.of_lesson(lesson.slug).filter(user=student)
    runs = Run.objects.filter(owner=student).of_origins(f"{lesson.slug}#").newest_first()
    if until:
        written, runs = written.filter(saved_at__lte=until), runs.filter(queued_at__lte=until)
    answers = {answer.gap: answer for answer in written}
    return LessonWork(
        lesson=lesson,
        answers=[AnswerLine(gap, answers.get(gap.id)) for gap in lesson.gaps.values()],
        runs=_judged(lesson, runs.prefetch_related("chunks")[:RUNS_SHOWN]),
        older_runs=older_than_shown(runs),
    )


def older_than_shown(runs: RunQuerySet) -> list[RunView]:
    """What is left of `runs`, newest first, without command and output. One query."""
    return [view_of_run(run) for run in runs.newest_first().without_command()[RUNS_SHOWN:]]


def _judged(lesson: Lesson, runs: Iterable[Run]) -> list[tuple[RunView, Outcome | None]]:
    views = [view_of_run(run) for run in runs]
    blocks = [lesson.blocks.get(view.run.origin.partition("#")[2]) for view in views]
    pairs = [(block, view) for block, view in zip(blocks, views, strict=True) if block]
    outcomes = dict(zip([view.run.pk for _, view in pairs], outcomes_of(pairs), strict=True))
    return [(view, outcomes.get(view.run.pk)) for view in views]
