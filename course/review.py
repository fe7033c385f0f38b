"""What a teacher reads of a student's work. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q

from course.lessons.model import Gap, Lesson
from course.models import Answer, Classroom, User
from labs.models import Run
from labs.rendering import RunView, view_of_run

RUNS_SHOWN = 200


@dataclass(frozen=True)
class AnswerLine:
    gap: Gap
    answer: Answer | None


@dataclass(frozen=True)
class LessonWork:
    """One student's answers and runs in one lesson."""

    lesson: Lesson
    answers: list[AnswerLine]
    runs: list[RunView]

    @property
    def is_empty(self) -> bool:
        return not self.runs and not any(line.answer for line in self.answers)


def students_with_counts(classroom: Classroom) -> Iterable[User]:
    """The students with `answers_count`, `runs_count`. One query."""
    return classroom.students().annotate(
        answers_count=Count("answers", filter=~Q(answers__text=""), distinct=True),
        runs_count=Count("runs", distinct=True),
    )


def lesson_work(student: User, lesson: Lesson) -> LessonWork:
    answers = {a.gap: a for a in Answer.objects.of_lesson(lesson.slug).filter(user=student)}
    runs = Run.objects.filter(owner=student).of_origins(f"{lesson.slug}#").newest_first()
    return LessonWork(
        lesson=lesson,
        answers=[AnswerLine(gap, answers.get(gap.id)) for gap in lesson.gaps.values()],
        runs=[view_of_run(run) for run in runs.prefetch_related("chunks")[:RUNS_SHOWN]],
    )
