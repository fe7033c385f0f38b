"""The only writer of classrooms and memberships."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from course.join_codes import make_code
from course.models import Classroom, Membership, User
from labs import audit
from labs.prepared import Select
from labs.refusal import Refused

# Every page of a class asks for it.
_membership = Select(
    lambda: Membership.objects.only("role"),
    "classroom_id = %s AND user_id = %s AND left_at IS NULL",
)


@transaction.atomic
def create_classroom(*, name: str, teacher: User, time_zone: str = "") -> Classroom:
    chosen = {"time_zone": time_zone} if time_zone else {}
    classroom = Classroom.objects.create(name=name, **chosen)
    add_member(classroom=classroom, user=teacher, role=Membership.Role.TEACHER)
    return classroom


@transaction.atomic
def change_classroom(
    classroom: Classroom,
    *,
    actor: User,
    name: str,
    time_zone: str,
    retention_days: int | None,
    records_terminals: bool = True,
) -> Classroom:
    after = {
        "name": name,
        "time_zone": time_zone,
        "retention_days": retention_days,
        "records_terminals": records_terminals,
    }
    before = {field: getattr(classroom, field) for field in after}
    if before != after:
        _change(classroom, **after)
        _record(classroom, actor, "change class", before=before, after=after)
    return classroom


@transaction.atomic
def archive_classroom(classroom: Classroom, *, actor: User) -> Classroom:
    """From now on it can only be read, and nobody joins it. Already archived is success."""
    if not classroom.is_archived:
        _change(classroom, archived_at=timezone.now(), join_code=None, join_code_until_at=None)
        _record(classroom, actor, "archive class")
    return classroom


@transaction.atomic
def unarchive_classroom(classroom: Classroom, *, actor: User) -> Classroom:
    if classroom.is_archived:
        _change(classroom, archived_at=None)
        _record(classroom, actor, "take class out of the archive")
    return classroom


def refuse_archived(classroom: Classroom) -> None:
    """Before any change to it, or to what belongs to it."""
    if classroom.is_archived:
        raise Refused(
            _(
                "This class is archived, so nothing was changed. "
                "Its teacher can take it out of the archive in its settings."
            )
        )


@transaction.atomic
def open_joining(
    classroom: Classroom, *, actor: User, days: int, needs_approval: bool
) -> Classroom:
    """A new code, good for so many days. The one before it ends at once."""
    refuse_archived(classroom)
    until = timezone.now() + timedelta(days=days)
    _change(
        classroom,
        join_code=make_code(),
        join_code_until_at=until,
        join_needs_approval=needs_approval,
    )
    after = {"until": until.isoformat(), "needs_approval": needs_approval}
    _record(classroom, actor, "new join code", after=after)
    return classroom


@transaction.atomic
def close_joining(classroom: Classroom, *, actor: User) -> Classroom:
    if classroom.join_code:
        _change(classroom, join_code=None, join_code_until_at=None)
        _record(classroom, actor, "close joining")
    return classroom


def add_member(*, classroom: Classroom, user: User, role: str) -> Membership:
    """The membership; a member takes the new role, and who had left is back with all they did."""
    return Membership.objects.update_or_create(
        classroom=classroom, user=user, defaults={"role": role, "left_at": None}
    )[0]


@transaction.atomic
def change_role(classroom: Classroom, *, actor: User, user: User, role: str) -> None:
    """Of one who teaches. Raises Refused for the last teacher."""
    refuse_archived(classroom)
    before = _role_of_teacher(classroom, user)
    if role != Membership.Role.TEACHER:
        _refuse_last_teacher(classroom, user)
    add_member(classroom=classroom, user=user, role=role)
    _record(classroom, actor, "change role", user, before={"role": before}, after={"role": role})


@transaction.atomic
def end_membership(classroom: Classroom, *, actor: User, user: User) -> None:
    """They have left, by themselves or because `actor` says so; their work is kept.

    Raises Refused for the last teacher, and where others would be removed from an archived class.
    """
    if actor.pk != user.pk:
        refuse_archived(classroom)
    role = role_in(classroom, user)
    if not role:
        return
    _refuse_last_teacher(classroom, user)
    current = Membership.objects.current().filter(classroom=classroom, user=user)
    current.update(left_at=timezone.now())
    deed = "leave class" if actor.pk == user.pk else "remove from class"
    _record(classroom, actor, deed, user, before={"role": role})


def role_in(classroom: Classroom, user: User) -> str:
    """The user's role in the class now; empty for outsiders and those who left. One query."""
    mine = _membership.first(classroom.pk, user.pk)
    return mine.role if mine else ""


def attends(user: User, classroom: Classroom) -> bool:
    return role_in(classroom, user) == Membership.Role.STUDENT


def teaches(
    teacher: User,
    student: User,
    roles: Sequence[str] = Membership.TEACHING,
    *,
    in_use: bool = False,
) -> bool:
    """True when both are in a classroom, the teacher in one of `roles`, now. One query.

    `in_use`: not where that is archived; what was done in it can still be read, but no more.
    """
    taught = Membership.objects.current().students().filter(user_id=student.pk)
    mine = Classroom.objects.filter(Membership.among(teacher, roles))
    return taught.filter(classroom__in=mine.in_use() if in_use else mine).exists()


def taught_then(teacher: User, student: User, at: datetime) -> bool:
    """True when both are in a classroom now, the one teaching, and it was no archive at that time.

    One query. What is done after a class was archived is none of its teachers' business.
    """
    taught = Membership.objects.current().students().filter(user_id=student.pk)
    mine = Classroom.objects.filter(Membership.among(teacher, Membership.TEACHING))
    still_read = mine.filter(Q(archived_at=None) | Q(archived_at__gte=at))
    return taught.filter(classroom__in=still_read).exists()


def seen_until(teacher: User, student: User) -> datetime | None:
    """When the last class that they share was archived; None while one is in use. One query."""
    taught = Membership.objects.current().students().filter(user_id=student.pk)
    mine = Classroom.objects.filter(Membership.among(teacher, Membership.TEACHING))
    ends = taught.filter(classroom__in=mine).values_list("classroom__archived_at", flat=True)
    known = list(ends)
    return None if None in known else max(filter(None, known), default=None)


def records_terminals_of(student: User) -> bool:
    """False only for somebody whose classes all say so. One query."""
    classrooms = Classroom.objects.attended_by(student).in_use()
    policies = set(classrooms.values_list("records_terminals", flat=True))
    return policies != {False}


def teaches_somewhere(user: User) -> bool:
    mine = Membership.objects.current().filter(user_id=user.pk)
    return mine.filter(role__in=Membership.TEACHING).exists()


def owns_some_class(user: User) -> bool:
    mine = Membership.objects.current().filter(user_id=user.pk)
    return mine.filter(role=Membership.Role.TEACHER).exists()


def _role_of_teacher(classroom: Classroom, user: User) -> str:
    role = role_in(classroom, user)
    if role not in Membership.TEACHING:
        raise Refused(
            _("%(name)s does not teach this class (any more), so nothing was changed.")
            % {"name": user.shown_name}
        )
    return role


def _refuse_last_teacher(classroom: Classroom, user: User) -> None:
    """Locks the class first, so that two who leave at once can't both find the other there."""
    Classroom.objects.select_for_update().get(pk=classroom.pk)
    owners = Membership.objects.current().filter(classroom=classroom, role=Membership.Role.TEACHER)
    if [owner.user_id for owner in owners] == [user.pk]:
        raise Refused(
            _(
                "%(name)s is the only teacher of this class, so nothing was changed. "
                "Make somebody else a teacher of it first, or archive the class."
            )
            % {"name": user.shown_name}
        )


def _change(classroom: Classroom, **fields: object) -> None:
    Classroom.objects.filter(pk=classroom.pk).update(**fields)
    classroom.refresh_from_db(fields=list(fields))


def _record(
    classroom: Classroom,
    actor: User,
    action: str,
    user: User | None = None,
    **change: Mapping[str, object],
) -> None:
    """About one of its people where `user` is given, else about the class."""
    subject, name = (
        (f"user {user.pk}", user.username) if user else (f"class {classroom.pk}", classroom.name)
    )
    audit.record(
        actor=actor,
        action=action,
        subject=subject,
        subject_name=name,
        before=change.get("before"),
        after=change.get("after"),
        classroom=classroom.pk,
    )
