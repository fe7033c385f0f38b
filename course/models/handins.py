"""What students handed in, frozen."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from course.models.assignments import Assignment
from labs.models import Checkpoint, TerminalSession, Wish


class HandInQuerySet(models.QuerySet["HandIn"]):
    def counting(self) -> HandInQuerySet:
        """The one of each student that is marked."""
        return self.filter(state=HandIn.State.HANDED_IN)

    def collecting(self) -> HandInQuerySet:
        return self.filter(state=HandIn.State.COLLECTING)

    def standing(self) -> HandInQuerySet:
        """All that were neither taken back nor lost: what attempts are counted by."""
        return self.exclude(state__in=[HandIn.State.WITHDRAWN, HandIn.State.FAILED])

    def with_what_sealing_reads(self) -> HandInQuerySet:
        return self.select_related("assignment__classroom", "student", "files_wish")

    def newest_first(self) -> HandInQuerySet:
        return self.order_by("-attempt")


class HandIn(models.Model):
    """One attempt of one student. What it holds never changes once it is handed in."""

    class State(models.TextChoices):
        COLLECTING = "collecting", _("your files are being saved")
        HANDED_IN = "handed_in", _("handed in")
        REPLACED = "replaced", _("replaced by a later one")
        WITHDRAWN = "withdrawn", _("withdrawn")
        FAILED = "failed", _("could not be kept")
        """It never had its hash, and never counted."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="handins")
    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="handins"
    )
    attempt = models.PositiveIntegerField()
    """Counts from 1, those taken back included."""
    state = models.CharField(max_length=10, choices=State, default=State.COLLECTING)
    handed_in_at = models.DateTimeField(default=timezone.now)
    files_until_at = models.DateTimeField(default=timezone.now)
    """How long it waits for the lab's files; then it takes those that were saved last."""
    files_wish = models.ForeignKey(Wish, on_delete=models.SET_NULL, null=True, related_name="+")
    """What was asked of the lab; None where no files are kept."""
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    checkpoint = models.ForeignKey(
        Checkpoint, on_delete=models.SET_NULL, null=True, related_name="handins"
    )
    recordings = models.ManyToManyField(TerminalSession, related_name="handins")
    """Of the student's terminals, those that its manifest names: kept as long as it is."""
    sha256 = models.CharField(max_length=64, blank=True)
    """Of the manifest, which names everything else by its own hash."""
    earned = models.PositiveIntegerField(default=0)
    """Hundredths of points of all its marks, before any penalty; kept by `course.marks`."""
    waiting = models.PositiveIntegerField(default=0)
    """Steps that a teacher has to mark yet; kept by `course.marks`."""

    objects = HandInQuerySet.as_manager()

    class Meta:
        ordering = ["-handed_in_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "student", "attempt"], name="handin_attempt_once"
            ),
            models.UniqueConstraint(
                fields=["assignment", "student"],
                condition=Q(state="handed_in"),
                name="handin_one_counts",
            ),
            models.UniqueConstraint(
                fields=["assignment", "student"],
                condition=Q(state="collecting"),
                name="handin_one_collects",
            ),
        ]
        indexes = [models.Index(fields=["state", "handed_in_at"], name="handin_by_state")]

    def __str__(self) -> str:
        return f"hand-in {self.pk} of {self.student_id}"

    @property
    def is_sealed(self) -> bool:
        return bool(self.sha256)


class Manifest(models.Model):
    """The content of one hand-in as canonical JSON, gzipped: a draft until the files are in."""

    handin = models.OneToOneField(
        HandIn, on_delete=models.CASCADE, primary_key=True, related_name="manifest"
    )
    gzipped = models.BinaryField()

    def __str__(self) -> str:
        return f"manifest of {self.handin_id}"
