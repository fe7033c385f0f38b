"""The only writer of hand-ins and their manifests, with `course.sealing`, which completes them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from course import manifests
from course.assignments import dates_for, lesson_of
from course.freezing import check_recordings, check_workspace, draft_of, recordings_of
from course.lessons.model import Lesson
from course.manifests import Content, read_content
from course.models import Assignment, HandIn, Manifest, User
from course.sealing import seal_if_ready
from labs.lab_requests import request_checkpoint
from labs.models import Checkpoint
from labs.refusal import Refused

MOST_IN_AN_HOUR = 20
"""Of one student: what is handed in is kept for ever, with its files, also when taken back."""
FILES_PATIENCE = timedelta(seconds=20)
"""A hand-in waits so long for the lab's newest files; then it takes what was saved last."""


def hand_in(*, student: User, assignment: Assignment, attempt: int) -> HandIn:
    """This attempt, frozen: a new one, or the one that the same press made before.

    Raises Refused where it is not the time, or the attempts are used up.
    """
    made = HandIn.objects.filter(assignment=assignment, student=student, attempt=attempt).first()
    if made:
        return made
    lesson = _lesson_or_refuse(assignment)
    _refuse_wrong_time(assignment, student, timezone.now())
    _refuse_wrong_attempt(assignment, student, attempt)
    _refuse_unfinished(assignment, student)
    _refuse_a_flood(student)
    try:
        handin = _freeze(student, assignment, attempt, lesson)
    except IntegrityError:
        # Two presses at once: the other one was faster.
        return HandIn.objects.get(assignment=assignment, student=student, attempt=attempt)
    return seal_if_ready(handin)


def _freeze(student: User, assignment: Assignment, attempt: int, lesson: Lesson) -> HandIn:
    with transaction.atomic():
        handin = HandIn.objects.create(assignment=assignment, student=student, attempt=attempt)
        recordings = recordings_of(handin)
        draft = draft_of(handin, lesson, recordings)
        handin.recordings.set(recordings)
        Manifest.objects.create(handin=handin, gzipped=manifests.pack(draft))
        if assignment.records_files:
            handin.files_wish = request_checkpoint(student, cause=Checkpoint.Cause.HAND_IN)
            handin.files_until_at = handin.handed_in_at + FILES_PATIENCE
            handin.save(update_fields=["files_wish", "files_until_at"])
    return handin


def read_manifest(handin: HandIn) -> dict[str, Any]:
    """What was handed in, read from the rows and hashed anew. Raises Damaged."""
    manifest = manifests.check(bytes(handin.manifest.gzipped), handin.sha256)
    check_workspace(manifest)
    check_recordings(manifest)
    return manifest


def content_of(handin: HandIn) -> Content:
    """What was handed in, to be marked or shown. Raises Damaged."""
    return read_content(manifests.check(bytes(handin.manifest.gzipped), handin.sha256))


def withdraw(handin: HandIn, *, now: datetime) -> HandIn | None:
    """Takes it back until it is due; the attempt before it, which is given, counts again.

    It can still be read.
    """
    if handin.assignment.classroom.is_archived:
        raise Refused(
            _(
                "This class is archived, so this hand-in can't be withdrawn any more. It stays "
                "handed in, and you can read it here."
            )
        )
    if now > dates_for(handin.assignment, handin.student).due_at:
        raise Refused(
            _(
                "The due time is over, so this hand-in can't be withdrawn any more. It stays "
                "handed in. Ask your teacher if something is wrong with it."
            )
        )
    with transaction.atomic():
        mine = HandIn.objects.counting().filter(pk=handin.pk)
        if not mine.update(state=HandIn.State.WITHDRAWN, withdrawn_at=now):
            raise Refused(_("Only the newest hand-in can be withdrawn. Nothing was changed."))
        earlier = HandIn.objects.filter(
            assignment=handin.assignment_id,
            student=handin.student_id,
            state=HandIn.State.REPLACED,
        ).newest_first()
        HandIn.objects.filter(pk__in=earlier.values("pk")[:1]).update(state=HandIn.State.HANDED_IN)
    theirs = HandIn.objects.filter(assignment=handin.assignment_id, student=handin.student_id)
    return theirs.counting().first()


def next_attempt(assignment: Assignment, student: User) -> int:
    """The number of the next press, those taken back included."""
    newest = assignment.handins.filter(student=student).newest_first().first()
    return newest.attempt + 1 if newest else 1


def attempts_left(assignment: Assignment, student: User) -> int | None:
    """None: as many as they like."""
    if not assignment.attempts:
        return None
    used = assignment.handins.filter(student=student).standing().count()
    return max(0, assignment.attempts - used)


def _lesson_or_refuse(assignment: Assignment) -> Lesson:
    lesson = lesson_of(assignment)
    if lesson is None:
        raise Refused(
            _(
                "This lesson can't be read just now, so nothing was handed in. Your answers and "
                "files are kept. Tell your teacher."
            )
        )
    return lesson


def _refuse_unfinished(assignment: Assignment, student: User) -> None:
    """One after the other: the one before may only wait for somebody to look at it."""
    for handin in assignment.handins.collecting().filter(student=student):
        if seal_if_ready(handin).state == HandIn.State.COLLECTING:
            raise Refused(
                _(
                    "Your last hand-in is still waiting for your files, so nothing new was handed "
                    "in. Wait half a minute, then hand in again."
                )
            )


def _refuse_a_flood(student: User) -> None:
    hour_ago = timezone.now() - timedelta(hours=1)
    lately = HandIn.objects.filter(student=student, handed_in_at__gt=hour_ago)
    if lately.count() >= MOST_IN_AN_HOUR:
        raise Refused(
            _(
                "You have handed in %(times)s times within an hour, so nothing new was handed in. "
                "What you handed in before is kept. Wait a while, then hand in again."
            )
            % {"times": MOST_IN_AN_HOUR}
        )


def _refuse_wrong_time(assignment: Assignment, student: User, now: datetime) -> None:
    dates = dates_for(assignment, student)
    if assignment.classroom.is_archived or dates.is_closed(now):
        raise Refused(
            _(
                "This assignment is closed, so nothing was handed in. Your answers and files "
                "are kept. Ask your teacher for more time."
            )
        )
    if now < dates.opens_at:
        raise Refused(_("This assignment is not open yet. Come back when it opens."))


def _refuse_wrong_attempt(assignment: Assignment, student: User, attempt: int) -> None:
    if attempts_left(assignment, student) == 0:
        raise Refused(
            _(
                "You have used all your attempts, so nothing new was handed in. What you handed "
                "in before counts and is kept."
            )
        )
    if attempt != next_attempt(assignment, student):
        raise Refused(
            _("This page was out of date, so nothing was handed in. Look again, then hand in.")
        )
