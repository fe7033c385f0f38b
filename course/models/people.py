"""Who uses the site."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A reader with an account. A username suffices: many are thirteen and have no e-mail.

    Our own class from the first migration on, since it can't be swapped in later.
    """

    may_teach = models.BooleanField(
        _("may make classes"),
        default=False,
        help_text=_(
            "Teachers see every lesson's guide with its answers: never tick it for pupils."
        ),
    )
    made_in = models.ForeignKey(
        "course.Classroom",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="made_accounts",
    )
    """The class whose teacher made this account, and may give it a new passphrase. Else None."""
    reading = models.CharField(max_length=120, blank=True, default="", editable=False)
    """The choices of look and language as course.preferences writes them; empty: none made yet.

    Here and not in a row of its own, so that no page needs a query more for it.
    """

    def __str__(self) -> str:
        return self.username

    @property
    def shown_name(self) -> str:
        return self.get_full_name() or self.username


class Attempt(models.Model):
    """One try at something that may only be tried so often. Kept for a day at most."""

    kind = models.CharField(max_length=20)
    by = models.CharField(max_length=80)
    """`user 7` or `address 192.0.2.1`."""
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["kind", "by", "at"], name="attempt_count")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.by}"


class LogInTries(models.Model):
    """Tries at one name from one place since the last good one. Gone an hour after the last."""

    name = models.CharField(max_length=64)
    """A keyed hash: somebody may have typed a passphrase in the place of the name."""
    place = models.CharField(max_length=64)
    """`network 192.0.2.1`, or `device …` for a browser that was logged in to this name before."""
    number = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now, db_index=True)
    """When the next one may be made."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "place"], name="one_count_of_name_and_place")
        ]

    def __str__(self) -> str:
        return f"{self.number} from {self.place}"
