"""What lessons said: the files of each version that a reader has met."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class LessonVersion(models.Model):
    """One version of a lesson, whole, so that answers of then can be shown and marked by it."""

    lesson = models.CharField(max_length=100)
    version = models.CharField(max_length=64)
    files = models.BinaryField()
    """Every file of the lesson's folder, as a zip."""
    first_seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-first_seen_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["lesson", "version"], name="lesson_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.lesson}@{self.version}"
