"""Students who join a class by its code. The only writer of join requests."""

from __future__ import annotations

from enum import Enum

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from course.classrooms import add_member, refuse_archived, role_in
from course.join_codes import read
from course.models import Classroom, JoinRequest, Membership, User
from labs import audit
from labs.refusal import Refused


class Joined(Enum):
    """What came of it."""

    NOW = "now"
    ASKED = "asked"
    ALREADY = "already"


def classroom_of_code(code: str) -> Classroom | None:
    """The class that this code lets into just now."""
    known = Classroom.objects.in_use().filter(join_code_until_at__gt=timezone.now())
    return known.filter(join_code=read(code)).first() if read(code) else None


@transaction.atomic
def join_by_code(*, code: str, user: User) -> tuple[Classroom, Joined]:
    """Raises Refused where the code has stopped working, or the user teaches this class."""
    classroom = classroom_of_code(code)
    if classroom is None:
        raise Refused(
            _("This code does not work any more, so you joined no class. Ask for the new one.")
        )
    role = role_in(classroom, user)
    if role in Membership.TEACHING:
        raise Refused(_("You teach this class, so you can't also be a student of it."))
    if role:
        return classroom, Joined.ALREADY
    if classroom.join_needs_approval:
        JoinRequest.objects.get_or_create(classroom=classroom, user=user)
        return classroom, Joined.ASKED
    _let_in(classroom, user=user, actor=user)
    return classroom, Joined.NOW


@transaction.atomic
def answer_request(classroom: Classroom, *, actor: User, username: str, accept: bool) -> User:
    """The one who asked. Raises Refused where nobody of this name asks (any more)."""
    refuse_archived(classroom)
    asked = classroom.join_requests.filter(user__username=username).select_related("user").first()
    if asked is None:
        raise Refused(_("This request was answered already, so nothing was changed."))
    if accept:
        _let_in(classroom, user=asked.user, actor=actor)
    JoinRequest.objects.filter(pk=asked.pk).delete()
    return asked.user


def _let_in(classroom: Classroom, *, user: User, actor: User) -> None:
    """Nobody who teaches the class by now becomes its student."""
    if role_in(classroom, user) not in Membership.TEACHING:
        add_member(classroom=classroom, user=user, role=Membership.Role.STUDENT)
    JoinRequest.objects.filter(classroom=classroom, user=user).delete()
    audit.record(
        actor=actor,
        action="join class",
        subject=f"user {user.pk}",
        subject_name=user.username,
        classroom=classroom.pk,
    )
