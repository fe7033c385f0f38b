"""Saved copies of workspaces, each content stored once."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from labs.models.labs import Lab
from labs.models.runs import Run


class Blob(models.Model):
    """Bytes stored once, however many checkpoints hold them."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size_bytes = models.PositiveBigIntegerField()
    gzipped = models.BinaryField()

    def __str__(self) -> str:
        return self.sha256[:12]


class Checkpoint(models.Model):
    """A saved copy of a lab's workspace."""

    class Cause(models.TextChoices):
        RUN = "run", "after a run"
        STOP = "stop", "before the lab stopped"

    lab = models.ForeignKey(Lab, on_delete=models.CASCADE, related_name="checkpoints")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT)
    cause = models.CharField(max_length=10, choices=Cause)
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-made_at", "-pk"]

    def __str__(self) -> str:
        return f"checkpoint {self.pk} {self.get_cause_display()}"
