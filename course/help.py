"""The only writer of requests for help."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from course.models import Classroom, HelpRequest, User
from labs.models import Run
from labs.refusal import Refused


def ask_help(*, student: User) -> HelpRequest:
    """The student's waiting request, made now where there is none, with their newest run.

    Raises Refused for somebody whom nobody teaches.
    """
    if not Classroom.objects.attended_by(student).in_use().exists():
        raise Refused(
            _("You are in no class, so nobody was asked. Join a class with the code of a teacher.")
        )
    run = Run.objects.filter(owner=student).newest_first().without_command().first()
    try:
        with transaction.atomic():
            return HelpRequest.objects.create(student=student, run=run)
    except IntegrityError:
        return HelpRequest.objects.waiting().get(student=student)


def end_help(*, student: User, actor: User) -> bool:
    """Somebody came, or the student took it back. False when nobody was waiting."""
    return bool(
        HelpRequest.objects.waiting()
        .filter(student=student)
        .update(answered_at=timezone.now(), answered_by=actor)
    )
