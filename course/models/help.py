"""Students who said that they need help."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from course.models.classrooms import Classroom
from labs.models import Run


class HelpRequestQuerySet(models.QuerySet["HelpRequest"]):
    def waiting(self) -> HelpRequestQuerySet:
        return self.filter(answered_at=None)

    def in_classroom(self, classroom: Classroom) -> HelpRequestQuerySet:
        """Of its students, who waits longest first. One query."""
        students = classroom.students().order_by().values("pk")
        return (
            self.filter(student__in=students)
            .select_related("student", "run")
            .defer("run__command", "run__argv", "run__env")
            .order_by("asked_at")
        )


class HelpRequest(models.Model):
    """A student asks whoever teaches them to come; one at a time."""

    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="help_requests"
    )
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="+")
    """The newest run when they asked: its receipt shows where they stand."""
    asked_at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """The teacher who came, or the student who took it back."""

    objects = HelpRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["student"], condition=Q(answered_at=None), name="help_once_per_student"
            )
        ]

    def __str__(self) -> str:
        return f"help for {self.student_id}"
