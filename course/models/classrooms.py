"""Classrooms, who is in them, and who waits to be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from course.models.people import User


def site_time_zone() -> str:
    return str(settings.TIME_ZONE)


class ClassroomQuerySet(models.QuerySet["Classroom"]):
    def taught_by(self, user: User) -> ClassroomQuerySet:
        """Those in which the user has any part of the teaching, archived ones included."""
        return self.filter(Membership.among(user, Membership.TEACHING)).distinct()

    def attended_by(self, user: User) -> ClassroomQuerySet:
        return self.filter(Membership.among(user, [Membership.Role.STUDENT])).distinct()

    def in_use(self) -> ClassroomQuerySet:
        return self.filter(archived_at=None)

    def with_counts(self) -> ClassroomQuerySet:
        """Each with `students_count`, those who left not counted."""
        members = Membership.objects.current().students().filter(classroom=models.OuterRef("pk"))
        counted = members.values("classroom").annotate(number=models.Count("pk")).values("number")
        return self.annotate(students_count=Coalesce(models.Subquery(counted), 0))


class Classroom(models.Model):
    """Students and those who teach them."""

    name = models.CharField(max_length=100)
    made_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    """Since when it is only kept to be read: nobody joins, nothing is set or handed in."""
    time_zone = models.CharField(max_length=64, default=site_time_zone)
    """In which the class reads its clocks: opening and due times are shown and typed in it."""
    join_code = models.CharField(max_length=20, unique=True, null=True, blank=True)
    """As stored: capitals without dashes. None while nobody can join by code."""
    join_code_until_at = models.DateTimeField(null=True, blank=True)
    join_needs_approval = models.BooleanField(default=False)
    records_terminals = models.BooleanField(default=True)
    """Whether what its students' terminals show is recorded, for them and their teachers."""
    retention_days = models.PositiveIntegerField(null=True, blank=True)
    """How long after archiving the class is deleted with all that belongs to it. None: never."""

    objects = ClassroomQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def open_code(self) -> str:
        """The code that lets in just now; empty when there is none or it has run out."""
        is_open = self.join_code_until_at is not None and self.join_code_until_at > timezone.now()
        return (self.join_code or "") if is_open and not self.is_archived else ""

    @property
    def deleted_at(self) -> datetime | None:
        """When retention will delete it; None where that is not going to happen."""
        if self.archived_at is None or self.retention_days is None:
            return None
        return self.archived_at + timedelta(days=self.retention_days)

    def students(self) -> models.QuerySet[User]:
        """Those who are in it now."""
        return User.objects.filter(
            memberships__classroom=self,
            memberships__role=Membership.Role.STUDENT,
            memberships__left_at=None,
        ).order_by("username")

    def teachers(self) -> models.QuerySet[Membership]:
        """The memberships of all who teach or help, owners first."""
        roles = self.memberships.current().filter(role__in=Membership.TEACHING)
        return roles.select_related("user").order_by("-role", "user__username")


class MembershipQuerySet(models.QuerySet["Membership"]):
    def current(self) -> MembershipQuerySet:
        return self.filter(left_at=None)

    def students(self) -> MembershipQuerySet:
        return self.filter(role=Membership.Role.STUDENT)


class Membership(models.Model):
    """What one person is in one classroom. Who leaves keeps the row, and takes it up on return."""

    class Role(models.TextChoices):
        STUDENT = "student", _("student")
        TEACHER = "teacher", _("teacher")
        """Owns the class: may also archive it and decide who else teaches."""
        CO_TEACHER = "co_teacher", _("co-teacher")
        ASSISTANT = "assistant", _("assistant")
        """Sees work and marks it, and no more."""

    TEACHING = (Role.TEACHER, Role.CO_TEACHER, Role.ASSISTANT)

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role)
    external_id = models.CharField(max_length=64, blank=True)
    """What the school calls this student, such as a number in its register."""
    joined_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["classroom", "user"], name="member_once_per_classroom"),
            models.UniqueConstraint(
                fields=["classroom", "external_id"],
                condition=~Q(external_id=""),
                name="external_id_once_per_classroom",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} as {self.role} of {self.classroom_id}"

    @staticmethod
    def among(user: User, roles: Sequence[str]) -> Q:
        """Classrooms in which the user is one of `roles` now."""
        return Q(
            memberships__user_id=user.pk,
            memberships__role__in=roles,
            memberships__left_at=None,
        )


class JoinRequest(models.Model):
    """Somebody typed the code of a class that lets in by approval. Gone when it is answered."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="join_requests")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="join_requests"
    )
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["asked_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["classroom", "user"], name="join_asked_once")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} asks to join {self.classroom_id}"


class Invitation(models.Model):
    """Somebody was asked to teach or to help in a class. Gone when it is answered."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="invitations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations"
    )
    role = models.CharField(max_length=10, choices=Membership.Role)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    invited_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["invited_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["classroom", "user"], name="invited_once")]

    def __str__(self) -> str:
        return f"{self.user_id} invited as {self.role} of {self.classroom_id}"


class RosterPlan(models.Model):
    """What a roster file will change, as its teacher was shown it. Gone when it was applied."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="roster_plans")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    made_at = models.DateTimeField(default=timezone.now)
    plan = models.JSONField()
    fingerprint = models.CharField(max_length=64)
    """Of the roster that the plan was made against."""

    def __str__(self) -> str:
        return f"roster plan {self.pk} of {self.classroom_id}"
