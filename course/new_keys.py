"""A lesson whose key has changed: what everybody's marks would be, and making it so."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from course import marks
from course.assignments import pin_version
from course.classrooms import refuse_archived
from course.handins import content_of
from course.judging import Judgement, judge
from course.lesson_versions import keep_version
from course.lessons.model import Lesson
from course.library import get_lesson
from course.manifests import Damaged
from course.marks import Change, Giver
from course.models import Assignment, HandIn, Mark, User
from course.steps import Step, steps_of
from labs.refusal import Refused


@dataclass(frozen=True)
class KeyPlan:
    """Who would change if the assignment took today's version of its lesson."""

    lesson: Lesson
    changes: tuple[Change, ...]
    kept: int
    """Marks that a teacher gave: they stay, whatever the key says now."""
    gone: tuple[str, ...]
    """Steps that the lesson no longer has: their marks stay as they are."""

    @property
    def fingerprint(self) -> str:
        """The same only while lesson and marks are as they were shown."""
        shown = [f"{c.mark.pk}@{c.mark.version}={c.hundredths}" for c in self.changes]
        return hashlib.sha256(",".join([self.lesson.version, *shown]).encode()).hexdigest()


def newer_lesson(assignment: Assignment) -> Lesson | None:
    """Today's version, where it isn't the pinned one."""
    lesson = get_lesson(assignment.lesson)
    return lesson if lesson and lesson.version != assignment.lesson_version else None


def plan_new_key(assignment: Assignment, lesson: Lesson) -> KeyPlan:
    """Every kept hand-in judged by the new key. Two queries, and all that was handed in."""
    steps = {step.id: step for step in _steps(assignment, lesson)}
    changes: list[Change] = []
    kept = 0
    for handin in _handins(assignment):
        try:
            content = content_of(handin)
        except Damaged:
            continue  # its marks stay; its own page says what is wrong with it
        for mark in handin.marks.all():
            step = steps.get(mark.step)
            if step is None:
                continue
            kept += not mark.is_automatic
            changes.extend(_changed(mark, judge(step, content)))
    gone = tuple(step for step, points in assignment.points.items() if points and step not in steps)
    return KeyPlan(lesson, tuple(changes), kept, gone)


def apply_new_key(assignment: Assignment, plan: KeyPlan, *, fingerprint: str, marker: User) -> int:
    """How many marks were changed; the assignment stands on the new version from now on."""
    refuse_archived(assignment.classroom)
    with transaction.atomic():
        giver = Giver(Mark.Cause.NEW_KEY, plan.lesson.version, marker)
        if (
            plan.fingerprint != fingerprint
            or not pin_version(assignment, plan.lesson.version)
            or marks.write(plan.changes, giver)
        ):
            raise Refused(
                _(
                    "Meanwhile the lesson or a mark has changed, so nothing was changed here. "
                    "Look at the list again, then confirm."
                )
            )
        keep_version(plan.lesson)
    return len(plan.changes)


def _steps(assignment: Assignment, lesson: Lesson) -> list[Step]:
    return steps_of(lesson.for_track(assignment.track), assignment.points)


def _handins(assignment: Assignment) -> list[HandIn]:
    rows = assignment.handins.filter(state__in=[HandIn.State.HANDED_IN, HandIn.State.REPLACED])
    return list(rows.select_related("manifest", "student").prefetch_related("marks"))


def _changed(mark: Mark, judgement: Judgement) -> list[Change]:
    """Nothing where the mark stays what it is. What a person gave stays."""
    new = (judgement.hundredths, judgement.verdict, judgement.answer_key)
    if not mark.is_automatic or (mark.hundredths, mark.verdict, mark.answer_key) == new:
        return []
    return [
        Change(
            mark,
            judgement.hundredths,
            judgement.verdict,
            judgement.reason,
            mark.comment,
            judgement.answer_key,
        )
    ]
