"""Limits that differ from the site's own, for the labs of one class or one lesson."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

SITE = "site"
"""The scope of every lab for which nothing closer was set."""


class LimitRule(models.Model):
    """The limits of the labs in one scope, whole: rules are not mixed, so that each can hold."""

    scope = models.CharField(max_length=150, unique=True)
    """`site`, or what the audience calls it, such as `lesson:checkpoints` or `class:12`."""
    memory_bytes = models.PositiveBigIntegerField()
    cpus = models.FloatField()
    pids = models.PositiveIntegerField()
    workspace_bytes = models.PositiveBigIntegerField()
    tmp_bytes = models.PositiveBigIntegerField()
    time_limit_s = models.PositiveIntegerField()
    """The longest that any run may take."""
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["scope"]

    def __str__(self) -> str:
        return f"limits of {self.scope}"
