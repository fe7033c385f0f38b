"""How often the site itself failed to answer."""

from __future__ import annotations

from django.db import models


class ServerError(models.Model):
    """One kind: answers of one view with one status of 500 or more, since the site was set up."""

    view = models.CharField(max_length=200)
    """By its name; empty where none was found for the address."""
    status = models.PositiveSmallIntegerField()
    count = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["view", "status"], name="one_count_a_view_and_status")
        ]

    def __str__(self) -> str:
        return f"{self.count} times {self.status} of {self.view}"
