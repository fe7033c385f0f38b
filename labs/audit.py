"""The only writer of the audit log."""

from __future__ import annotations

from typing import Any

from labs.models import AuditEntry


def record(*, actor: Any, action: str, subject: str, **detail: object) -> AuditEntry:
    """Adds one entry, in the caller's transaction: deed and entry stand or fall together."""
    return AuditEntry.objects.create(actor=actor, action=action, subject=subject, detail=detail)
