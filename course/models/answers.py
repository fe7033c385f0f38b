"""What readers wrote into gaps."""

from __future__ import annotations

from django.conf import settings
from django.db import models

MAX_ANSWER_CHARS = 2_000


class AnswerQuerySet(models.QuerySet["Answer"]):
    def of_lesson(self, slug: str) -> AnswerQuerySet:
        return self.filter(lesson=slug)


class Answer(models.Model):
    """A reader's newest text in one gap, with the lesson's version it was written for."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="answers"
    )
    lesson = models.CharField(max_length=100)
    gap = models.CharField(max_length=100)
    text = models.TextField(max_length=MAX_ANSWER_CHARS, blank=True)
    lesson_version = models.CharField(max_length=64)
    saved_at = models.DateTimeField()

    objects = AnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "lesson", "gap"], name="answer_once_per_gap")
        ]

    def __str__(self) -> str:
        return f"{self.lesson}#{self.gap} by {self.user_id}"
