"""Wishes that a lab be warm and proven before its student needs it."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labs.models.labs import Lab


class Muster(models.Model):
    """The newest wish of this kind for one lab, and what came of it."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        STARTING = "starting", _("being started and checked")
        GOOD = "good", _("ready and checked")
        BAD = "bad", _("needs repair")

    UNFINISHED = (State.WAITING, State.STARTING)

    lab = models.OneToOneField(Lab, on_delete=models.CASCADE, related_name="muster")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    state_deadline_at = models.DateTimeField(null=True)
    """When `starting` counts as broken off and anybody may take over."""
    asked_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    is_rebuild = models.BooleanField(default=False)
    """Wants a new container, whatever the one before says of itself."""
    problem = models.TextField(blank=True)
    """What is wrong, or why it still waits, in words; empty where nothing is."""
    node_version = models.CharField(max_length=40, blank=True)
    python_version = models.CharField(max_length=40, blank=True)
    disk_left_bytes = models.PositiveBigIntegerField(null=True)

    def __str__(self) -> str:
        return f"muster of lab {self.lab_id}: {self.state}"

    @property
    def is_over(self) -> bool:
        return self.state not in self.UNFINISHED
