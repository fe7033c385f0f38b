"""Machines with a container engine and a worker."""

from __future__ import annotations

from django.db import models


class Host(models.Model):
    """A machine with a container engine and a worker, as its worker last reported it."""

    name = models.CharField(max_length=100, unique=True)
    seen_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    """When its engine last answered its worker: `seen_at` says only that the worker lives."""
    engine_version = models.CharField(max_length=100, blank=True)
    engine_error = models.TextField(blank=True)
    swept_at = models.DateTimeField(null=True)
    memory_bytes = models.PositiveBigIntegerField(null=True)
    """What the machine has, as its worker last reported it."""
    capacity_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    """What the limits of its started labs may add up to; None for the setting's share."""
    capacity_labs = models.PositiveIntegerField(null=True, blank=True)
    """How many labs may be started at once; None for the setting."""
    is_draining = models.BooleanField(default=False)
    """An admin's wish: no lab starts here any more, idle ones are stopped."""

    def __str__(self) -> str:
        return self.name
