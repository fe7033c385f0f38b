"""The only writer of the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from labs.models import AuditEntry
from labs.models.audit import AuditQuerySet

LOOKED = "look at work"


def record(
    *,
    actor: Any,
    action: str,
    subject: str,
    subject_name: str = "",
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    **detail: object,
) -> AuditEntry:
    """Adds one entry, in the caller's transaction: deed and entry stand or fall together.

    `before` and `after` hold what the deed changed and nothing else, as plain JSON values; without
    an `actor` the site did it by itself.
    """
    return AuditEntry.objects.create(
        actor=actor,
        actor_name=actor.get_username() if actor else "",
        action=action,
        subject=subject,
        subject_name=subject_name,
        before=dict(before or {}),
        after=dict(after or {}),
        detail=detail,
    )


def note_view(*, viewer: Any, owner: Any) -> None:
    """Somebody looked at another's work: one entry for the two a day. No query for one's own."""
    if viewer.pk == owner.pk:
        return
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    if not views_of(owner).filter(actor_id=viewer.pk, at__gte=midnight).exists():
        record(
            actor=viewer,
            action=LOOKED,
            subject=subject_of(owner),
            subject_name=owner.get_username(),
        )


def views_of(owner: Any) -> AuditQuerySet:
    """Who looked at this person's work, newest first."""
    return AuditEntry.objects.filter(action=LOOKED, subject=subject_of(owner))


def subject_of(person: Any) -> str:
    return f"user {person.pk}"
