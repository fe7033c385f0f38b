"""What somebody wants done to a lab, as a row: the page writes it, a worker carries it out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labs.models.checkpoints import Checkpoint
from labs.models.labs import Lab


class WishQuerySet(models.QuerySet["Wish"]):
    def active(self) -> WishQuerySet:
        return self.filter(state__in=Wish.ACTIVE)

    def moves(self) -> WishQuerySet:
        """Those that change the lab or its files."""
        return self.filter(kind__in=Wish.MOVES)

    def nobody_holds(self, now: datetime) -> WishQuerySet:
        """Active wishes that no worker has a lease on: to be rung again."""
        return self.active().filter(Q(lease_until_at=None) | Q(lease_until_at__lt=now))

    def newest_of(self, lab: Lab) -> WishQuerySet:
        return self.filter(lab=lab).select_related("before", "result", "actor").order_by("-pk")


class Wish(models.Model):
    """One press of a button that asks something of a lab. Done once, however often it is tried."""

    class Kind(models.TextChoices):
        SAVE = "save", _("Save the files")
        RESTORE = "restore", _("Restore files")
        RESTART = "restart", _("Restart")
        RESET = "reset", _("Reset")
        REBUILD = "rebuild", _("Rebuild")
        REMOVE_FILE = "remove_file", _("Remove a file")
        MEND_MODES = "mend_modes", _("Make the files writable")
        EXAMINE = "examine", _("Find what is wrong")

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        WORKING = "working", _("being done")
        DONE = "done", _("done")
        REFUSED = "refused", _("not done")

    ACTIVE = (State.QUEUED, State.WORKING)
    MOVES = (
        Kind.RESTORE,
        Kind.RESTART,
        Kind.RESET,
        Kind.REBUILD,
        Kind.REMOVE_FILE,
        Kind.MEND_MODES,
    )

    lab = models.ForeignKey(Lab, on_delete=models.CASCADE, related_name="wishes")
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    kind = models.CharField(max_length=20, choices=Kind)
    cause = models.CharField(max_length=20, choices=Checkpoint.Cause, blank=True)
    """Of the checkpoint that it makes first; empty for the one that its kind always makes."""
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    lease_owner = models.CharField(max_length=200, blank=True)
    lease_until_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(default=timezone.now)
    deadline_at = models.DateTimeField()
    """Given up then, and said so: nothing waits for ever."""
    over_at = models.DateTimeField(null=True)

    target = models.ForeignKey(Checkpoint, on_delete=models.RESTRICT, null=True, related_name="+")
    """The files to be brought back; None for an empty workspace, or where none are."""
    name = models.TextField(blank=True)
    """Of the one file that this is about, as `labs.engine.listing` spells it."""
    before = models.ForeignKey(Checkpoint, on_delete=models.SET_NULL, null=True, related_name="+")
    """The files as they were: what Undo brings back."""
    result = models.ForeignKey(Checkpoint, on_delete=models.SET_NULL, null=True, related_name="+")
    generation = models.PositiveIntegerField(null=True)
    """Of the lab, when it began to be carried out: a later one is a new container."""
    undoes = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="undos")
    outcome = models.TextField(blank=True)
    """A sentence for who asked: what happened, what was kept, what to do next."""
    facts: models.JSONField[Any] = models.JSONField(default=dict)
    """What an examination found in the lab, as `labs.doctor` reads it."""

    objects = WishQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["lab"],
                condition=Q(
                    state__in=["queued", "working"],
                    kind__in=[
                        "restore",
                        "restart",
                        "reset",
                        "rebuild",
                        "remove_file",
                        "mend_modes",
                    ],
                ),
                name="wish_one_move_per_lab",
            )
        ]
        indexes = [models.Index(fields=["state", "lease_until_at"], name="wish_to_ring")]

    def __str__(self) -> str:
        return f"wish {self.pk}: {self.kind} of lab {self.lab_id}"

    @property
    def is_over(self) -> bool:
        return self.state not in self.ACTIVE

    @property
    def is_move(self) -> bool:
        return self.kind in self.MOVES
