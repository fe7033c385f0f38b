"""Classrooms and who is in them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from course.models.people import User


class ClassroomQuerySet(models.QuerySet["Classroom"]):
    def taught_by(self, user: User) -> ClassroomQuerySet:
        return self.filter(
            memberships__user_id=user.pk, memberships__role=Membership.Role.TEACHER
        ).distinct()


class Classroom(models.Model):
    """Students and those who teach them."""

    name = models.CharField(max_length=100)
    made_at = models.DateTimeField(auto_now_add=True)

    objects = ClassroomQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    def students(self) -> models.QuerySet[User]:
        return User.objects.filter(
            memberships__classroom=self, memberships__role=Membership.Role.STUDENT
        ).order_by("username")


class Membership(models.Model):
    """What one person is in one classroom."""

    class Role(models.TextChoices):
        STUDENT = "student", "student"
        TEACHER = "teacher", "teacher"

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["classroom", "user"], name="member_once_per_classroom")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} as {self.role} of {self.classroom_id}"
