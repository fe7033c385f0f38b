"""The only writer of assignments and extensions; and what follows from their dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from course.classrooms import refuse_archived
from course.lateness import IN_TIME, Lateness, lateness
from course.lesson_versions import keep_version
from course.lessons.model import Lesson
from course.library import get_lesson, lesson_of_version
from course.models import Assignment, Classroom, Extension, User
from course.seen import refuse_changed
from course.steps import Step, steps_of
from labs import audit
from labs.refusal import Refused

CHANGEABLE = (
    *("opens_at", "due_at", "closes_at", "late", "late_percent", "attempts"),
    *("records_runs", "records_files", "points", "track"),
)
"""What a teacher sets, and may change."""


@dataclass(frozen=True)
class Dates:
    """When one student can hand in."""

    opens_at: datetime
    due_at: datetime
    closes_at: datetime | None
    is_extended: bool = False

    def is_closed(self, now: datetime) -> bool:
        return self.closes_at is not None and now > self.closes_at


def dates_of(assignment: Assignment, extension: Extension | None) -> Dates:
    """Whoever has longer may also hand in longer; nobody has less time than the class."""
    dates = Dates(assignment.opens_at, assignment.due_at, assignment.closes_at)
    if extension is None or extension.due_at <= dates.due_at:
        return dates
    closes = dates.closes_at and max(dates.closes_at, extension.due_at)
    return replace(dates, due_at=extension.due_at, closes_at=closes, is_extended=True)


def dates_for(assignment: Assignment, student: User) -> Dates:
    """One query."""
    return dates_of(assignment, assignment.extensions.filter(student=student).first())


def lateness_of(assignment: Assignment, dates: Dates, handed_in_at: datetime) -> Lateness:
    """The one place that says how late a hand-in is."""
    if handed_in_at <= dates.due_at:
        return IN_TIME
    return lateness(assignment.late_rule, dates.due_at, handed_in_at, assignment.zone)


def lesson_of(assignment: Assignment) -> Lesson | None:
    """The pinned version in the assignment's track; today's where the pinned one is lost."""
    slug = assignment.lesson
    lesson = lesson_of_version(slug, assignment.lesson_version) or get_lesson(slug)
    return lesson.for_track(assignment.track) if lesson else None


def steps_of_assignment(assignment: Assignment) -> list[Step]:
    """What earns points, in the lesson's order; empty where the lesson is gone altogether."""
    lesson = lesson_of(assignment)
    return steps_of(lesson, assignment.points) if lesson else []


def set_assignment(
    *, classroom: Classroom, lesson: Lesson, teacher: User, fields: Mapping[str, Any]
) -> Assignment:
    """A new assignment of today's version of the lesson, which is kept whole from now on.

    `fields` are the model's own, as the form has checked them.
    """
    refuse_archived(classroom)
    with transaction.atomic():
        keep_version(lesson)
        return Assignment.objects.create(
            classroom=classroom,
            title=lesson.title,
            lesson=lesson.slug,
            lesson_version=lesson.version,
            made_by=teacher,
            **fields,
        )


def change_assignment(
    *,
    assignment: Assignment,
    fields: Mapping[str, Any],
    seen: str = "",
    actor: User | None = None,
) -> Assignment:
    """Dates and rules may change at any time; points and track only until somebody hands in.

    Raises ChangedMeanwhile where it is not as a form with this `seen` showed it.
    """
    refuse_archived(assignment.classroom)
    with transaction.atomic():
        locked = Assignment.objects.select_for_update()
        assignment.refresh_from_db(fields=CHANGEABLE, from_queryset=locked)
        refuse_changed(assignment, CHANGEABLE, seen)
        before = {name: getattr(assignment, name) for name in fields}
        changed = [name for name, value in fields.items() if before[name] != value]
        if not {"points", "track"}.isdisjoint(changed) and assignment.handins.exists():
            raise Refused(
                _(
                    "Somebody has handed this in already, so points and language stay as they "
                    "are, and nothing was changed. Leave the points as they were, or give "
                    "other points while marking."
                )
            )
        for name in changed:
            setattr(assignment, name, fields[name])
        if changed:
            assignment.save(update_fields=changed)
            told = [{name: _as_json(row[name]) for name in changed} for row in (before, fields)]
            _record(assignment, actor, "change assignment", before=told[0], after=told[1])
    return assignment


def _as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def delete_assignment(assignment: Assignment, *, actor: User | None = None) -> None:
    """Only one that nobody has handed anything in for: work is never thrown away."""
    refuse_archived(assignment.classroom)
    with transaction.atomic():
        if assignment.handins.exists():
            raise Refused(
                _(
                    "Somebody has handed this in already, so it was not deleted. "
                    "Set its closing time instead: then nobody can hand in any more."
                )
            )
        _record(assignment, actor, "delete assignment")
        assignment.delete()


def give_extension(
    *, assignment: Assignment, student: User, due_at: datetime, reason: str, teacher: User
) -> Extension:
    """Other dates for this student; a second one takes the place of the first."""
    refuse_archived(assignment.classroom)
    if due_at <= assignment.due_at:
        raise Refused(
            _("An extension must end after the due time of the class. Nothing was changed.")
        )
    with transaction.atomic():
        after = {"due_at": due_at.isoformat()}  # the reason may be private, and this log stays
        _record(assignment, teacher, "give extension", student, after=after)
        return Extension.objects.update_or_create(
            assignment=assignment,
            student=student,
            defaults={
                "due_at": due_at,
                "reason": reason,
                "given_by": teacher,
                "given_at": timezone.now(),
            },
        )[0]


def take_back_extension(
    *, assignment: Assignment, student: User, actor: User | None = None
) -> None:
    """Already gone is success."""
    refuse_archived(assignment.classroom)
    with transaction.atomic():
        if assignment.extensions.filter(student=student).delete()[0]:
            _record(assignment, actor, "take extension back", student)


def release_marks(assignment: Assignment, *, released: bool, actor: User | None = None) -> None:
    """Lets students see their marks, or no longer. Already so is success."""
    refuse_archived(assignment.classroom)
    others = Assignment.objects.filter(pk=assignment.pk, released_at__isnull=released)
    with transaction.atomic():
        if others.update(released_at=timezone.now() if released else None):
            _record(assignment, actor, "release marks" if released else "hide marks")


def note_export(assignment: Assignment, *, actor: User) -> None:
    """Somebody took all marks of it along as a file."""
    _record(assignment, actor, "export marks")


def _record(
    assignment: Assignment,
    actor: User | None,
    action: str,
    student: User | None = None,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    """About a student where one is given, else about the assignment."""
    audit.record(
        actor=actor,
        action=action,
        subject=audit.subject_of(student) if student else f"assignment {assignment.pk}",
        subject_name=student.username if student else assignment.title,
        before=before,
        after=after,
        assignment=assignment.pk,
        classroom=assignment.classroom_id,
    )


def pin_version(assignment: Assignment, version: str) -> bool:
    """Whether the assignment now stands on that version: not where somebody was faster."""
    moved = Assignment.objects.filter(
        pk=assignment.pk, lesson_version=assignment.lesson_version
    ).update(lesson_version=version)
    return moved == 1
