"""Images that labs can start from, as the workers found them, and wishes to build them anew."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labs.models.hosts import Host


class Image(models.Model):
    """An image on one host."""

    host = models.ForeignKey(Host, on_delete=models.CASCADE, related_name="images")
    digest = models.CharField(max_length=100)
    tags: models.JSONField[list[str]] = models.JSONField(default=list)
    size_bytes = models.PositiveBigIntegerField()
    made_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["host", "-made_at"]
        constraints = [
            models.UniqueConstraint(fields=["host", "digest"], name="image_once_per_host")
        ]

    def __str__(self) -> str:
        return self.short_digest

    @property
    def short_digest(self) -> str:
        """As people tell images apart: twelve letters of it."""
        return self.digest.removeprefix("sha256:")[:12]


class ImageBuild(models.Model):
    """One wish to build the agent image anew on one host, and its log as far as it got."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        BUILDING = "building", _("being built")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    ACTIVE = (State.WAITING, State.BUILDING)

    host = models.ForeignKey(Host, on_delete=models.CASCADE, related_name="builds")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    asked_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    state_deadline_at = models.DateTimeField()
    """When the state counts as broken off: then the build has failed."""
    ended_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)
    log = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["host"],
                condition=Q(state__in=["waiting", "building"]),
                name="image_build_one_active_per_host",
            )
        ]

    def __str__(self) -> str:
        return f"build {self.pk} on {self.host_id}: {self.state}"

    @property
    def is_over(self) -> bool:
        return self.state not in self.ACTIVE
