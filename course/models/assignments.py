"""Lessons set for a class: until when, for how many points, and for whom the dates differ."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from course.lateness import LateRule
from course.models.classrooms import Classroom, Membership
from course.models.people import User


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def set_for(self, student: User) -> AssignmentQuerySet:
        """What the student has to do or had: of classes they are in that are not archived."""
        return self.filter(
            classroom__archived_at=None,
            classroom__in=Membership.objects.filter(
                user_id=student.pk, role=Membership.Role.STUDENT, left_at=None
            ).values("classroom"),
        ).select_related("classroom")

    def opened(self, now: datetime) -> AssignmentQuerySet:
        return self.filter(opens_at__lte=now)

    def by_due(self) -> AssignmentQuerySet:
        return self.order_by("due_at", "pk")

    def with_counts(self) -> AssignmentQuerySet:
        """Each with `handed_in` and, for those, `to_mark` answers; of who is in the class now."""
        here = Membership.objects.current().students()
        theirs = here.filter(
            classroom=models.OuterRef("classroom"), user=models.OuterRef("handins__student")
        )
        counts = models.Q(models.Exists(theirs), handins__state="handed_in")
        return self.annotate(
            handed_in=models.Count("handins", filter=counts),
            to_mark=Coalesce(models.Sum("handins__waiting", filter=counts), 0),
        )


class Assignment(models.Model):
    """One version of a lesson, set for one class."""

    class Late(models.TextChoices):
        FULL = "full", _("late work counts in full")
        PER_DAY = "per_day", _("late work loses some per cent for each day")
        NOTHING = "nothing", _("late work earns no points")

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="assignments")
    title = models.CharField(max_length=200)
    """The lesson's, when it was set."""
    lesson = models.CharField(max_length=100)
    lesson_version = models.CharField(max_length=64)
    """Pinned: an author's change reaches marks only when a teacher says so."""
    track = models.CharField(max_length=100, blank=True)
    """Which of the lesson's languages is to be done; empty where it has only one."""
    points = models.JSONField(default=dict)
    """Step → the most points it can earn, as a whole number. A step that is not here earns none."""
    opens_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField()
    closes_at = models.DateTimeField(null=True, blank=True)
    """From here on nothing can be handed in. None: never."""
    late = models.CharField(max_length=10, choices=Late, default=Late.FULL)
    late_percent = models.PositiveSmallIntegerField(default=0)
    """Of the points earned, lost for each day begun; only where `late` is per day."""
    attempts = models.PositiveSmallIntegerField(default=0)
    """How often a student may hand in; the last one counts. 0: as often as they like."""
    records_runs = models.BooleanField(default=True)
    """A hand-in keeps the newest run of each command, output included."""
    records_files = models.BooleanField(default=True)
    """A hand-in keeps the files of the student's lab."""
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_at = models.DateTimeField(default=timezone.now)
    released_at = models.DateTimeField(null=True, blank=True)
    """Since when students see their marks. None: they don't."""

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["-due_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.title} for {self.classroom_id}"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.classroom.time_zone)

    @property
    def late_rule(self) -> LateRule:
        return LateRule(self.late, self.late_percent)

    @property
    def maximum(self) -> int:
        """In whole points."""
        return sum(self.points.values())

    @property
    def is_released(self) -> bool:
        return self.released_at is not None

    def student_ids(self) -> models.QuerySet[Any, int]:
        """Of those who are in the class now: nobody in it reads the work of who has left."""
        here = Membership.objects.current().students().filter(classroom=self.classroom_id)
        return here.values_list("user_id", flat=True)


class Extension(models.Model):
    """Other dates for one student, and why."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="extensions")
    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="extensions"
    )
    due_at = models.DateTimeField()
    reason = models.CharField(max_length=500)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    given_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "student"], name="extension_once")
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} for {self.student_id} until {self.due_at}"
