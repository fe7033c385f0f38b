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


class AnswerEntryQuerySet(models.QuerySet["AnswerEntry"]):
    def of_lesson(self, slug: str) -> AnswerEntryQuerySet:
        return self.filter(lesson=slug)

    def newest_first(self) -> AnswerEntryQuerySet:
        return self.order_by("-saved_at", "-pk")


class AnswerEntry(models.Model):
    """What an answer said before. Only what stood for a while: not every word on its way."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="answer_entries"
    )
    lesson = models.CharField(max_length=100)
    gap = models.CharField(max_length=100)
    text = models.TextField(max_length=MAX_ANSWER_CHARS)
    lesson_version = models.CharField(max_length=64)
    saved_at = models.DateTimeField()
    """When it was written, not when it was replaced."""

    objects = AnswerEntryQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["user", "lesson", "gap", "-saved_at"], name="entry_of_answer")
        ]

    def __str__(self) -> str:
        return f"{self.lesson}#{self.gap} by {self.user_id} before"
