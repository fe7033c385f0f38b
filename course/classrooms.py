"""The only writer of classrooms and memberships."""

from __future__ import annotations

from course.models import Classroom, Membership, User


def create_classroom(*, name: str, teacher: User) -> Classroom:
    classroom = Classroom.objects.create(name=name)
    add_member(classroom=classroom, user=teacher, role=Membership.Role.TEACHER)
    return classroom


def add_member(*, classroom: Classroom, user: User, role: str) -> Membership:
    """The membership; somebody who is a member already takes the new role."""
    return Membership.objects.update_or_create(
        classroom=classroom, user=user, defaults={"role": role}
    )[0]


def teaches(teacher: User, student: User) -> bool:
    """True when they share a classroom in these roles. One query."""
    return Membership.objects.filter(
        user_id=student.pk,
        role=Membership.Role.STUDENT,
        classroom__memberships__user_id=teacher.pk,
        classroom__memberships__role=Membership.Role.TEACHER,
    ).exists()


def teaches_somewhere(user: User) -> bool:
    return Membership.objects.filter(user_id=user.pk, role=Membership.Role.TEACHER).exists()
