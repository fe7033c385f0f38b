"""Saved copies of workspaces, each content stored once."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labs.models.labs import Lab
from labs.models.runs import Run


class Blob(models.Model):
    """Bytes stored once, however many checkpoints hold them."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size_bytes = models.PositiveBigIntegerField()
    gzipped = models.BinaryField()
    listing = models.BinaryField(default=b"")
    """Its files with size, mode and digest (`labs.engine.listing`); empty in old rows."""
    used_at = models.DateTimeField(default=timezone.now)
    """When a checkpoint last took it: a blob in use is never swept away, however briefly."""

    class Meta:
        # What is summed up and swept is read from it: else every page of archives is.
        indexes = [
            models.Index(fields=["used_at", "size_bytes", "sha256"], name="blob_use_and_size")
        ]

    def __str__(self) -> str:
        return self.sha256[:12]


class CheckpointQuerySet(models.QuerySet["Checkpoint"]):
    def kept(self) -> CheckpointQuerySet:
        """Those whose files are still there."""
        return self.filter(blob__isnull=False)

    def of_owner(self, owner: Any) -> CheckpointQuerySet:
        return self.filter(lab__owner=owner)

    def with_sizes(self) -> CheckpointQuerySet:
        """With size and run, without the bytes themselves. One query."""
        return self.select_related("blob", "run").defer(
            "blob__gzipped",
            "blob__listing",
            *(f"run__{name}" for name in ("command", "argv", "env", "detail")),
        )


class Checkpoint(models.Model):
    """A saved copy of a lab's workspace."""

    class Cause(models.TextChoices):
        RUN = "run", _("after a run")
        BEFORE_RUN = "before_run", _("before a run")
        TERMINAL = "terminal", _("while the terminal was used")
        HAND_IN = "hand_in", _("for a hand-in")
        RESTORE = "restore", _("restored files")
        BEFORE_RESTORE = "before_restore", _("before files were restored")
        RESET = "reset", _("after a reset")
        BEFORE_RESET = "before_reset", _("before a reset")
        RESTART = "restart", _("before a restart")
        REBUILD = "rebuild", _("before a rebuild")
        STOP = "stop", _("before the lab stopped")
        LIMITS = "limits", _("before the lab's limits changed")
        NOT_RESTORED = "not_restored", _("did not fit back into the lab")

    KEPT_FOR_EVER = (Cause.HAND_IN, Cause.NOT_RESTORED)

    lab = models.ForeignKey(Lab, on_delete=models.CASCADE, related_name="checkpoints")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True)
    """None: the files are no longer kept. The row stays, to say so of its run."""
    cause = models.CharField(max_length=20, choices=Cause)
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True)
    made_at = models.DateTimeField(default=timezone.now)

    objects = CheckpointQuerySet.as_manager()

    class Meta:
        ordering = ["-made_at", "-pk"]
        indexes = [models.Index(fields=["lab", "-made_at"], name="checkpoint_newest_of_lab")]

    def __str__(self) -> str:
        return f"checkpoint {self.pk} {self.get_cause_display()}"
