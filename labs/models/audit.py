"""Who did what to whose lab. Rows are added and never changed: the database itself refuses more."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

SEALED = "The audit log is append-only: entries are added, never changed or removed."


class LogIsSealed(Exception):
    """Somebody tried to change or remove an entry of the audit log."""


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    def that_mention(self, words: str) -> AuditQuerySet:
        """Entries in which each word stands in the actor, the action or the subject."""
        found = self
        for word in words.split():
            found = found.filter(
                Q(actor_name__icontains=word)
                | Q(action__icontains=word)
                | Q(subject__icontains=word)
                | Q(subject_name__icontains=word)
            )
        return found

    def update(self, **fields: Any) -> NoReturn:
        raise LogIsSealed(SEALED)

    def delete(self) -> NoReturn:
        raise LogIsSealed(SEALED)

    def bulk_update(self, *args: Any, **options: Any) -> NoReturn:
        raise LogIsSealed(SEALED)


class AuditEntry(models.Model):
    """One deed: who, what, to what, and how it stood before and after."""

    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,
    )
    """May name an account that is gone: an entry is not changed even then."""
    actor_name = models.CharField(max_length=150, blank=True)
    """As it was at the time; empty for what the site did by itself."""
    action = models.CharField(max_length=50)
    subject = models.CharField(max_length=200)
    """What it was done to, such as `lab 7`."""
    subject_name = models.CharField(max_length=200, blank=True)
    """What people call it, such as the username of the lab's owner."""
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    detail = models.JSONField(default=dict)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="audit_newest_first"),
            models.Index(fields=["subject", "action", "-at"], name="audit_of_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"

    def save(self, *args: Any, **options: Any) -> None:
        if not self._state.adding:
            raise LogIsSealed(SEALED)
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        raise LogIsSealed(SEALED)
