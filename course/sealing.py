"""Completes hand-ins whose files are in: by whoever looks, and by the beat where nobody does."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from course import manifests, marks
from course.assignments import lesson_of
from course.freezing import check_recordings, check_workspace, fill_in
from course.lessons.model import Lesson
from course.manifests import Content, Damaged, read_content
from course.models import Assignment, HandIn, Manifest
from course.steps import steps_of
from labs.checkpoints import keep_for_ever
from labs.failpoints import reach
from labs.models import Checkpoint

logger = logging.getLogger(__name__)

GIVE_UP = timedelta(minutes=10)
"""What still can't be read back then never will be: the student must hear of it."""


def seal_if_ready(handin: HandIn) -> HandIn:
    """Completes the hand-in once its files are saved or waited for long enough.

    Which files it takes follows from times alone, so that it makes no difference who asks when.
    """
    if handin.state != HandIn.State.COLLECTING:
        return handin
    lesson = lesson_of(handin.assignment)
    wish = handin.files_wish
    if lesson and (wish is None or wish.is_over or timezone.now() >= handin.files_until_at):
        try:
            _seal(handin, lesson, _files_of(handin))
        except Damaged:
            logger.exception("hand-in %s could not be read back", handin.pk)
            _give_up_on(handin, timezone.now())
        handin.refresh_from_db()
    return handin


def seal_all_ready(assignment: Assignment) -> None:
    """Completes what can be and nobody came back to: before teachers count or mark."""
    for handin in assignment.handins.collecting().with_what_sealing_reads():
        seal_if_ready(handin)


def seal_waiting() -> int:
    """How many were completed, or given up on, in all classes: one at a time, the oldest first.

    Cut off anywhere, the next round goes on: each is done whole or not at all.
    """
    waiting = HandIn.objects.collecting().with_what_sealing_reads().order_by("handed_in_at")
    done = 0
    for handin in waiting.iterator(chunk_size=50):
        reach("sealing_hand_in")
        done += seal_if_ready(handin).state != HandIn.State.COLLECTING
    return done


def not_kept(assignment: Assignment) -> QuerySet[HandIn]:
    """Hand-ins that failed and whose students have handed in nothing since."""
    handed_in = assignment.handins.counting().values("student")
    failed = assignment.handins.filter(
        state=HandIn.State.FAILED, student__in=assignment.student_ids()
    )
    return failed.exclude(student__in=handed_in).select_related("student").order_by("pk")


def _files_of(handin: HandIn) -> Checkpoint | None:
    """The files that were saved for it in time; else the last ones from before it."""
    if not handin.assignment.records_files:
        return None
    saved = Checkpoint.objects.kept().of_owner(handin.student_id).with_sizes()
    if handin.files_wish and handin.files_wish.result_id:
        asked = saved.filter(
            pk=handin.files_wish.result_id,
            cause=Checkpoint.Cause.HAND_IN,
            made_at__lte=handin.files_until_at,
        ).first()
        if asked:
            return asked
    return saved.filter(made_at__lte=handin.handed_in_at).first()


def _seal(handin: HandIn, lesson: Lesson, files: Checkpoint | None) -> None:
    """Writes the manifest, reads it back, hashes it anew; only then it counts as handed in.

    All or nothing; whoever comes second finds it done.
    """
    draft = manifests.unpack(bytes(Manifest.objects.get(pk=handin.pk).gzipped))
    manifest = fill_in(draft, lesson, handin.assignment, files)
    sha256 = manifests.hash_of(manifests.canonical(manifest))
    with transaction.atomic():
        mine = HandIn.objects.filter(pk=handin.pk, state=HandIn.State.COLLECTING)
        if not mine.update(state=HandIn.State.REPLACED, sha256=sha256):
            return
        Manifest.objects.filter(pk=handin.pk).update(gzipped=manifests.pack(manifest))
        content = _read_back(handin, sha256)
        kept = keep_for_ever(files) if files else None
        HandIn.objects.counting().filter(
            assignment=handin.assignment_id, student=handin.student_id
        ).update(state=HandIn.State.REPLACED)
        HandIn.objects.filter(pk=handin.pk).update(state=HandIn.State.HANDED_IN, checkpoint=kept)
        steps = steps_of(lesson, handin.assignment.points)
        marks.mark_by_key(handin=handin, steps=steps, content=content)
        reach("hand_in_sealed")


def _read_back(handin: HandIn, sha256: str) -> Content:
    manifest = manifests.check(bytes(Manifest.objects.get(pk=handin.pk).gzipped), sha256)
    check_workspace(manifest)
    check_recordings(manifest)
    return read_content(manifest)


def _give_up_on(handin: HandIn, now: datetime) -> None:
    """Not at once: it is tried again for a while. The student's page then says what to do."""
    if now > handin.files_until_at + GIVE_UP:
        mine = HandIn.objects.collecting().filter(pk=handin.pk)
        mine.update(state=HandIn.State.FAILED)
