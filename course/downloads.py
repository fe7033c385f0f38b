"""The only writer of downloads of whole classes: begun, got on, over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from course.models import ClassDownload, Classroom, User
from labs import audit
from labs.refusal import Refused
from labs.zips import Packed, pack

State = ClassDownload.State
SAY_EVERY_BYTES = 1024 * 1024


def begin_download(*, classroom: Classroom, teacher: User) -> ClassDownload:
    """A new download, written down with who asked. One at a time: each reads all of a class.

    Raises Refused while another one of this person's goes on.
    """
    mine = ClassDownload.objects.filter(asked_by=teacher, state=State.SENDING)
    if any(download.is_under_way for download in mine):
        raise Refused(
            _(
                "Another download of yours is still going on, so no second one was begun. Wait "
                "until it is whole; if you broke it off, try again in two minutes."
            )
        )
    with transaction.atomic():
        download = ClassDownload.objects.create(
            classroom=classroom,
            asked_by=teacher,
            students_total=classroom.students().count(),
        )
        audit.record(
            actor=teacher,
            action="download class",
            subject=f"class {classroom.pk}",
            subject_name=classroom.name,
            students=download.students_total,
        )
    return download


def send(download: ClassDownload, files: Iterable[Packed]) -> Iterator[bytes]:
    """The zip, piece by piece. However it ends, the row says so."""
    mine = ClassDownload.objects.filter(pk=download.pk)
    state, sent, said = State.BROKEN, 0, 0
    try:
        for piece in pack(files):
            sent += len(piece)
            if sent - said > SAY_EVERY_BYTES:
                said = sent
                mine.update(bytes_sent=sent, moved_at=timezone.now())
            yield piece
        state = State.SENT
    finally:
        mine.update(state=state, bytes_sent=sent, moved_at=timezone.now())


def note_student(download: ClassDownload) -> None:
    """One more student is packed."""
    ClassDownload.objects.filter(pk=download.pk).update(
        students_done=F("students_done") + 1, moved_at=timezone.now()
    )
