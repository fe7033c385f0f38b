"""The only writer of classrooms and memberships."""

from __future__ import annotations

from course.models import Classroom, Membership, User


def create_classroom(*, name: str, teacher: User) -> Classroom:
    classroom = Classroom.objects.create(name=name)
    add_member(classroom=classroom, user=teacher, role=Membership.Role.TEACHER)
    return classroom


def add_member(*, classroom: Classroom, user: User, role: str) -> Membership:
    """The membership; a member takes the new role, and who had left is back with all they did."""
    return Membership.objects.update_or_create(
        classroom=classroom, user=user, defaults={"role": role, "left_at": None}
    )[0]


def role_in(classroom: Classroom, user: User) -> str:
    """The user's role in the class now; empty for outsiders and those who left. One query."""
    mine = Membership.objects.current().filter(classroom_id=classroom.pk, user_id=user.pk)
    return mine.values_list("role", flat=True).first() or ""


def attends(user: User, classroom: Classroom) -> bool:
    return role_in(classroom, user) == Membership.Role.STUDENT


def teaches(teacher: User, student: User) -> bool:
    """True when both are in a classroom in these roles now. One query."""
    taught = Membership.objects.current().students().filter(user_id=student.pk)
    mine = Membership.among(teacher, Membership.TEACHING)
    return taught.filter(classroom__in=Classroom.objects.filter(mine)).exists()


def teaches_somewhere(user: User) -> bool:
    mine = Membership.objects.current().filter(user_id=user.pk)
    return mine.filter(role__in=Membership.TEACHING).exists()


def owns_some_class(user: User) -> bool:
    mine = Membership.objects.current().filter(user_id=user.pk)
    return mine.filter(role=Membership.Role.TEACHER).exists()
