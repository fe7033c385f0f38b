"""Runs and the output that they left."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labs.models.labs import Lab


class RunQuerySet(models.QuerySet["Run"]):
    def active(self) -> RunQuerySet:
        return self.filter(state__in=Run.ACTIVE)

    def begun(self) -> RunQuerySet:
        """Active runs that a lab has been asked for."""
        return self.active().exclude(state=Run.State.QUEUED)

    def over(self) -> RunQuerySet:
        return self.exclude(state__in=Run.ACTIVE)

    def lost(self) -> RunQuerySet:
        """Those that broke on their way. One that a busy shell was spared is nobody's fault."""
        return self.filter(state=Run.State.LOST).exclude(reason="not_typed")

    def without_command(self) -> RunQuerySet:
        """For those who show only what came of it: the command may be 64 KiB."""
        return self.defer("command", "argv", "env", "workdir")

    def of_origins(self, prefix: str) -> RunQuerySet:
        """Runs of every block of one lesson: `prefix` is its slug with `#`."""
        return self.filter(origin__startswith=prefix)

    def left_files(self, *, since: datetime, generation: int) -> RunQuerySet:
        """Those that ended after files were last touched otherwise than by a run, newest first."""
        ended = self.filter(lab_generation=generation, ended_at__gte=since)
        return ended.order_by("-ended_at")

    def newest_first(self) -> RunQuerySet:
        return self.order_by("-queued_at", "-pk")

    def nobody_holds(self, now: datetime) -> RunQuerySet:
        """Active runs that no worker has a lease on: to be rung again."""
        return self.active().filter(Q(lease_until_at=None) | Q(lease_until_at__lt=now))

    def ahead_of(self, run: Run) -> RunQuerySet:
        """Runs that wait for the same host, or for any, and were asked for earlier."""
        return self.filter(
            state=Run.State.QUEUED, queued_at__lt=run.queued_at, lab__host=run.lab.host_id
        )


class Run(models.Model):
    """One execution of one command, from the press to the receipt. Never executed twice."""

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        STARTING = "starting", _("starting")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        TIMED_OUT = "timed_out", _("stopped at its time limit")
        STOPPED = "stopped", _("stopped")
        LOST = "lost", _("lost")

    ACTIVE = (State.QUEUED, State.STARTING, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="runs"
    )
    key = models.UUIDField()
    """Made by the browser for one press: the same key is the same run."""
    lab = models.ForeignKey(Lab, on_delete=models.CASCADE, related_name="runs")
    origin = models.CharField(max_length=200)
    """Where the command stands, such as `checkpoints#resume`."""
    origin_version = models.CharField(max_length=64, blank=True)
    command = models.TextField()
    """Verbatim, as the reader saw it."""
    argv = models.JSONField()
    env = models.JSONField(default=dict)
    workdir = models.CharField(max_length=4096)
    time_limit_s = models.PositiveIntegerField(default=60)
    typed_into = models.UUIDField(null=True)
    """The terminal in whose shell its line is typed; None for a run apart, as most are."""
    typed_at_s = models.FloatField(null=True)
    """By the clock of that terminal's recording; None until its receipt, and where nobody knows."""

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    state_deadline_at = models.DateTimeField()
    """When the state it is in counts as broken; then the run is lost."""
    lease_owner = models.CharField(max_length=200, blank=True)
    lease_until_at = models.DateTimeField(null=True)
    waiting_for = models.TextField(blank=True)
    """Why an active run does not move, in words for its owner."""
    stop_asked_at = models.DateTimeField(null=True)
    queued_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    lab_generation = models.PositiveIntegerField(null=True)
    container_id = models.CharField(max_length=64, blank=True)
    image = models.CharField(max_length=100, blank=True)
    output_offset = models.PositiveBigIntegerField(default=0)
    """End of the last stored chunk: where following goes on."""

    reason = models.CharField(max_length=40, blank=True)
    detail = models.TextField(blank=True)
    exit_code = models.IntegerField(null=True)
    signal = models.PositiveSmallIntegerField(null=True)
    duration_s = models.FloatField(null=True)
    bytes_total = models.PositiveBigIntegerField(default=0)
    lines_total = models.PositiveBigIntegerField(default=0)
    truncated_bytes = models.PositiveBigIntegerField(default=0)
    leftovers = models.PositiveIntegerField(default=0)
    oom_kills = models.PositiveIntegerField(null=True)
    """None where the lab can't tell."""
    memory_peak_bytes = models.PositiveBigIntegerField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "key"], name="run_key_once_per_owner"),
            models.UniqueConstraint(
                fields=["lab"],
                condition=Q(state__in=["queued", "starting", "running"]),
                name="run_one_active_per_lab",
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "queued_at"], name="run_asked_lately"),
            models.Index(fields=["queued_at"], name="run_queued_lately"),
            models.Index(fields=["owner", "origin", "-queued_at"], name="run_latest_of_block"),
            models.Index(fields=["state", "lease_until_at"], name="run_to_ring"),
        ]

    def __str__(self) -> str:
        return f"run {self.id} ({self.state})"

    @property
    def is_over(self) -> bool:
        return self.state not in self.ACTIVE

    @property
    def exit_is_known(self) -> bool:
        return self.exit_code is not None

    def waited(self) -> timedelta:
        return (self.started_at or timezone.now()) - self.queued_at


class OutputChunk(models.Model):
    """Bytes of a run's output as they came; decoded only when shown."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="chunks")
    offset = models.PositiveBigIntegerField()
    """Of the first byte, counting both streams in order of arrival."""
    stream = models.CharField(max_length=6)
    at_s = models.FloatField()
    data = models.BinaryField()

    class Meta:
        ordering = ["offset"]
        constraints = [
            models.UniqueConstraint(fields=["run", "offset"], name="chunk_once_per_offset")
        ]

    def __str__(self) -> str:
        return f"{len(self.data)} bytes at {self.offset}"

    @property
    def end(self) -> int:
        return self.offset + len(self.data)
