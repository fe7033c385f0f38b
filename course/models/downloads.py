"""Whole classes taken along as one file: who, when, and how far it came."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from course.models.classrooms import Classroom

PATIENCE = timedelta(minutes=2)


class ClassDownload(models.Model):
    """One file with the work of a class, packed while it is sent: nothing of it is stored."""

    class State(models.TextChoices):
        SENDING = "sending", _("being sent")
        SENT = "sent", _("sent whole")
        BROKEN = "broken", _("broken off")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="downloads")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    asked_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.SENDING)
    students_total = models.PositiveIntegerField()
    students_done = models.PositiveIntegerField(default=0)
    bytes_sent = models.PositiveBigIntegerField(default=0)
    moved_at = models.DateTimeField(default=timezone.now)
    """When it last got on."""

    class Meta:
        ordering = ["-asked_at"]

    def __str__(self) -> str:
        return f"download of {self.classroom_id}: {self.state}"

    @property
    def is_under_way(self) -> bool:
        """Not where the process that sent it died: nobody is left to say so."""
        return self.state == self.State.SENDING and timezone.now() - self.moved_at < PATIENCE
