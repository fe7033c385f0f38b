"""Machines with a container engine and a worker."""

from __future__ import annotations

from django.db import models


class Host(models.Model):
    """A machine with a container engine and a worker, as its worker last reported it."""

    name = models.CharField(max_length=100, unique=True)
    seen_at = models.DateTimeField(null=True)
    engine_version = models.CharField(max_length=100, blank=True)
    engine_error = models.TextField(blank=True)
    swept_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
