"""How the newest run of each student's blocks came out, judged once for all who look."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from labs.models import Run


class BlockOutcome(models.Model):
    """What one block came to for one student, by one version of its lesson; kept by
    `course.block_outcomes`. It is out of date once a newer run is over."""

    class State(models.TextChoices):
        PASSED = "passed", _("passed")
        DIFFERS = "differs", _("differs")
        RAN = "ran", _("ran")
        """Nobody can say: its command or what it left can't be judged."""

    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="block_outcomes"
    )
    lesson = models.CharField(max_length=100)
    lesson_version = models.CharField(max_length=64)
    """Whose key it was judged by."""
    block = models.CharField(max_length=100)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=State)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["student", "lesson_version", "block"], name="outcome_once_per_block"
            )
        ]

    def __str__(self) -> str:
        return f"{self.lesson}#{self.block} of {self.student_id}: {self.state}"
