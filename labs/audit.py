"""The only writer of the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs.models import AuditEntry


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
