"""A person's own data: all of it as a file, and all of it gone."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, Any

from axes.utils import reset as forget_wrong_passphrases
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from course.models import HandIn, Mark, Membership, User
from labs import audit, lifecycle
from labs.history import newest_checkpoint
from labs.models import Host, Run, TerminalSession
from labs.recordings import cast_of
from labs.refusal import Refused
from labs.rendering import plain_output

Part = tuple[str, bytes]
"""A path in the archive and what is there."""


def write_export(user: User, target: IO[bytes]) -> None:
    """All that the site keeps of this person, as a zip; a part at a time is in memory."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in _parts(user):
            archive.writestr(path, data)


@transaction.atomic
def erase_person(user: User, *, actor: User | None) -> None:
    """The account and every row, output, recording and checkpoint of it; the lab soon after.

    The lab's machine is taken down by the next sweep of its host, which finds no row for it. Raises
    Refused for admins and for the only teacher of a class.
    """
    _refuse_who_is_needed(user)
    audit.record(actor=actor, action="delete account", subject=audit.subject_of(user))
    forget_wrong_passphrases(username=user.username)
    host = Host.objects.filter(labs__owner=user).first()
    user.delete()
    if host:
        lifecycle.want_sweep(host)


def _refuse_who_is_needed(user: User) -> None:
    if user.is_staff:
        raise Refused(
            _("Admins can't delete their own account, so nothing was deleted. Ask another admin.")
        )
    owned = Membership.objects.current().filter(user=user, role=Membership.Role.TEACHER)
    for membership in owned.select_related("classroom"):
        others = membership.classroom.memberships.current().filter(role=Membership.Role.TEACHER)
        if others.count() == 1:
            raise Refused(
                _(
                    "You are the only teacher of %(name)s, so nothing was deleted. Make somebody "
                    "else a teacher of it first."
                )
                % {"name": membership.classroom.name}
            )


def _parts(user: User) -> Iterator[Part]:
    yield "account.json", _json(_account(user))
    yield "classes.json", _json(_classes(user))
    yield "answers.json", _rows(user.answers.order_by("lesson", "gap"), _ANSWER)
    yield "earlier-answers.json", _rows(user.answer_entries.order_by("saved_at"), _ANSWER)
    yield "runs.json", _rows(user.runs.order_by("queued_at"), _RUN)
    yield "hand-ins.json", _rows(_handins(user), _HANDIN)
    yield "marks.json", _rows(_released_marks(user), _MARK)
    yield "who-looked.json", _rows(audit.views_of(user), ("at", "actor_name"))
    yield from _outputs(user)
    yield from _recordings(user)
    yield from _files(user)


_ANSWER = ("lesson", "gap", "text", "lesson_version", "saved_at")
_RUN = (
    *("id", "origin", "origin_version", "command", "state", "reason", "exit_code", "duration_s"),
    *("queued_at", "started_at", "ended_at", "bytes_total", "lines_total"),
)
_HANDIN = ("pk", "assignment__title", "attempt", "state", "handed_in_at", "withdrawn_at", "sha256")
_MARK = ("handin", "step", "hundredths", "verdict", "reason", "comment", "marked_at")


def _account(user: User) -> dict[str, Any]:
    names = ("username", "first_name", "last_name", "email", "date_joined", "last_login")
    return {name: getattr(user, name) for name in names}


def _classes(user: User) -> list[dict[str, Any]]:
    memberships = user.memberships.select_related("classroom").order_by("joined_at")
    names = ("role", "external_id", "joined_at", "left_at")
    return [
        {"name": membership.classroom.name} | {name: getattr(membership, name) for name in names}
        for membership in memberships
    ]


def _handins(user: User) -> QuerySet[HandIn]:
    return HandIn.objects.filter(student=user).order_by("pk")


def _released_marks(user: User) -> QuerySet[Mark]:
    """Others are not yet said: they may still change."""
    released = Mark.objects.filter(
        handin__student=user, handin__assignment__released_at__isnull=False
    )
    return released.order_by("handin", "step")


def _outputs(user: User) -> Iterator[Part]:
    for run in Run.objects.filter(owner=user).without_command().iterator(chunk_size=50):
        yield f"outputs/{run.pk}.txt", plain_output(run).encode()


def _recordings(user: User) -> Iterator[Part]:
    for session in TerminalSession.objects.of_owner(user):
        yield f"terminals/{session.pk}.cast", "".join(cast_of(session)).encode()


def _files(user: User) -> Iterator[Part]:
    newest = newest_checkpoint(user)
    if newest and newest.blob:
        yield "files.tar.gz", bytes(newest.blob.gzipped)


def _rows(rows: QuerySet[Any], names: Iterable[str]) -> bytes:
    return _json(list(rows.values(*names)))


def _json(value: object) -> bytes:
    text = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "surrogatepass")
