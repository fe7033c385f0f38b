"""What became of a lesson's commands when they were all run in a fresh lab."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from course.lessons.model import Lesson
from labs.prepared import Select


class RehearsalQuerySet(models.QuerySet["Rehearsal"]):
    def newest_of(self, lesson: Lesson) -> Rehearsal | None:
        """Of this very version of the lesson. One query."""
        return _newest.first(lesson.slug, lesson.version)


class Rehearsal(models.Model):
    """One rehearsal of one version of a lesson. Rows are added, never changed."""

    lesson = models.CharField(max_length=100)
    lesson_version = models.CharField(max_length=64)
    image = models.CharField(max_length=100)
    """By digest."""
    rehearsed_at = models.DateTimeField(default=timezone.now)
    is_good = models.BooleanField()
    """Every command did all that its block expects."""
    report = models.TextField(blank=True)

    objects = RehearsalQuerySet.as_manager()

    class Meta:
        ordering = ["-rehearsed_at", "-pk"]
        indexes = [models.Index(fields=["lesson", "lesson_version"], name="rehearsal_of_version")]

    def __str__(self) -> str:
        return f"{self.lesson} with {self.short_image}: {'good' if self.is_good else 'drifted'}"

    @property
    def short_image(self) -> str:
        """The digest as people tell images apart: twelve letters of it."""
        return self.image.removeprefix("sha256:")[:12]


_newest = Select(
    lambda: Rehearsal.objects.order_by(),
    "lesson = %s AND lesson_version = %s ORDER BY rehearsed_at DESC, id DESC LIMIT 1",
)
