"""The labs: one student's sandbox each."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labs.models.hosts import Host


class LabQuerySet(models.QuerySet["Lab"]):
    def for_dashboard(self) -> LabQuerySet:
        """Every lab with its owner and host, those with a container first. One query."""
        return self.select_related("owner", "host").started_first()

    def started_first(self) -> LabQuerySet:
        is_absent = models.Case(models.When(state=Lab.State.ABSENT, then=1), default=0)
        return self.order_by(is_absent, "owner__username")

    def quiet_since(self, at: datetime) -> LabQuerySet:
        """Those in which nothing has happened since, with no run, wish or muster under way."""
        busy = Q(runs__state__in=["queued", "starting", "running"])
        asked = Q(wishes__state__in=["queued", "working"])
        mustered = Q(muster__state__in=["waiting", "starting"])
        return self.filter(active_at__lt=at).exclude(busy).exclude(asked).exclude(mustered)


class Lab(models.Model):
    """One student's sandbox. At most one container at a time stands behind it."""

    class State(models.TextChoices):
        ABSENT = "absent", _("not started")
        STARTING = "starting", _("starting")
        READY = "ready", _("ready")
        PAUSED = "paused", _("paused")
        STOPPING = "stopping", _("stopping")
        FAILED = "failed", _("failed")

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="lab"
    )
    host = models.ForeignKey(Host, on_delete=models.SET_NULL, null=True, related_name="labs")
    state = models.CharField(max_length=10, choices=State, default=State.ABSENT)
    state_since_at = models.DateTimeField(default=timezone.now)
    state_deadline_at = models.DateTimeField(null=True)
    """When `starting` or `stopping` counts as broken off and anybody may take over."""
    reason = models.TextField(blank=True)
    generation = models.PositiveIntegerField(default=0)
    """Counts the containers this lab has had. A run belongs to one of them."""
    container_id = models.CharField(max_length=64, blank=True)
    image = models.CharField(max_length=100, blank=True)
    active_at = models.DateTimeField(default=timezone.now)
    unsaved_since_at = models.DateTimeField(null=True)
    """Since when the workspace may differ from the last checkpoint."""

    container_started_at = models.CharField(max_length=40, blank=True)
    """The engine's own words. Started anew by hand, a container has lost its files."""
    memory_bytes = models.PositiveBigIntegerField(default=0)
    """The limit that its container was started with: what it takes of its host's capacity."""
    time_limit_s = models.PositiveIntegerField(null=True)
    """The longest that a run may take, as the lab was started with; None for the site's own."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Starts that failed one after the other; while it stops, saves that failed."""
    retry_at = models.DateTimeField(null=True)
    """After a failed start: not tried again before."""
    last_error = models.TextField(blank=True)
    last_error_at = models.DateTimeField(null=True)
    message = models.TextField(blank=True)
    """What an admin tells its owner, until that is read."""
    message_at = models.DateTimeField(null=True)

    objects = LabQuerySet.as_manager()

    STARTED = (State.STARTING, State.READY, State.PAUSED, State.STOPPING)
    """States in which a container takes memory of the host."""

    def __str__(self) -> str:
        return f"lab {self.pk} of {self.owner_id}"

    @property
    def is_start_broken_off(self) -> bool:
        """Whoever was starting it has died."""
        return self.state == self.State.STARTING and self._is_past_deadline()

    @property
    def is_stop_broken_off(self) -> bool:
        """Whoever was stopping it has died."""
        return self.state == self.State.STOPPING and self._is_past_deadline()

    def _is_past_deadline(self) -> bool:
        return self.state_deadline_at is not None and self.state_deadline_at < timezone.now()

    @property
    def uid(self) -> int:
        """User and group id of everything this lab's student runs, unique on any host."""
        return int(settings.LAB_FIRST_UID) + int(self.pk)
