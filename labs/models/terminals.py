"""Terminals and what was recorded of them."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labs.models.labs import Lab


class TerminalSessionQuerySet(models.QuerySet["TerminalSession"]):
    def open(self) -> TerminalSessionQuerySet:
        return self.filter(state=TerminalSession.State.OPEN)

    def of_owner(self, owner: Any) -> TerminalSessionQuerySet:
        """Newest first, each with its lab. One query."""
        return self.filter(owner=owner).select_related("owner", "lab").order_by("-opened_at")


class TerminalSession(models.Model):
    """One login shell of a student, from its opening to its end, whoever looks at it meanwhile."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="terminals"
    )
    lab = models.ForeignKey(Lab, on_delete=models.CASCADE, related_name="terminals")
    number = models.PositiveSmallIntegerField(default=1)
    """The first or the second of its lab: there are never more at once."""
    lab_generation = models.PositiveIntegerField(default=0)
    """Of the container that its shell runs in; 0 until it has one."""
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    reason = models.CharField(max_length=40, blank=True)
    exit_code = models.IntegerField(null=True)
    opened_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True)

    is_recorded = models.BooleanField(default=True)
    is_cut = models.BooleanField(default=False)
    """The recording reached its budget before the shell ended."""
    recorded_offset = models.PositiveBigIntegerField(default=0)
    """Up to which byte of the shell's output the recording goes."""
    recorded_bytes = models.PositiveBigIntegerField(default=0)
    recorded_s = models.FloatField(default=0)
    """How many seconds after the shell began the last recorded piece came."""

    objects = TerminalSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-opened_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["lab", "number"],
                condition=Q(state="open"),
                name="terminal_once_per_number",
            )
        ]
        indexes = [
            models.Index(fields=["owner", "-opened_at"], name="terminal_of_owner"),
            models.Index(fields=["state", "closed_at"], name="terminal_by_state"),
        ]

    def __str__(self) -> str:
        return f"terminal {self.id} ({self.state})"

    @property
    def is_live(self) -> bool:
        """Its shell may still run: it is open, and so is the container that it runs in."""
        return self.state == self.State.OPEN and self.is_of_this_lab

    @property
    def is_of_this_lab(self) -> bool:
        """Its shell is, or is to be, in the container that its lab has now."""
        return not self.lab_generation or (
            self.lab_generation == self.lab.generation
            and self.lab.state in (Lab.State.READY, Lab.State.PAUSED)
        )


class RecordingPiece(models.Model):
    """Some events of a recording, a line each, as asciicast v2 writes them."""

    session = models.ForeignKey(TerminalSession, on_delete=models.CASCADE, related_name="pieces")
    offset = models.PositiveBigIntegerField()
    """Of the first byte of output that it holds."""
    lines = models.TextField()
    stored_at = models.DateTimeField(default=timezone.now)
    """Soon after it was shown: who may see only what was done up to some day sees it up to here."""

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["session", "offset"], name="piece_once_per_offset")
        ]

    def __str__(self) -> str:
        return f"{self.lines.count(chr(10))} events at {self.offset}"
