"""What each lab uses, as its host's worker measured it last."""

from __future__ import annotations

from django.db import models

from labs.models.labs import Lab


class Sample(models.Model):
    """The newest measurement of one lab. None stands for what could not be measured."""

    lab = models.OneToOneField(
        Lab, on_delete=models.CASCADE, primary_key=True, related_name="sample"
    )
    generation = models.PositiveIntegerField()
    """Of the lab: a sample of an earlier container says nothing of this one."""
    at = models.DateTimeField()
    memory_bytes = models.PositiveBigIntegerField(null=True)
    memory_limit_bytes = models.PositiveBigIntegerField(null=True)
    cpu_percent = models.FloatField(null=True)
    """Of one core, since the sample before."""
    pids = models.PositiveIntegerField(null=True)
    pids_limit = models.PositiveIntegerField(null=True)
    disk_bytes = models.PositiveBigIntegerField(null=True)
    """Used by the workspace."""
    disk_limit_bytes = models.PositiveBigIntegerField(null=True)

    def __str__(self) -> str:
        return f"sample of lab {self.lab_id}"
