"""What admins do to people's accounts, for the audit log: rights, names, passphrases."""

from __future__ import annotations

from typing import Any

from course.models import User
from labs import audit

RIGHTS = ("username", "email", "is_active", "is_staff", "is_superuser", "may_teach")


def facts_of(user: User) -> dict[str, Any]:
    """What of an account gives rights, or says whose it is. Two queries."""
    saved = User.objects.get(pk=user.pk)
    return {name: getattr(saved, name) for name in RIGHTS} | {
        "groups": sorted(saved.groups.values_list("name", flat=True)),
        "permissions": sorted(saved.user_permissions.values_list("codename", flat=True)),
    }


def note_change(user: User, *, actor: User, before: dict[str, Any]) -> None:
    """One entry with what differs now; none where nothing does. A new account has no before."""
    after = facts_of(user)
    changed = [name for name, value in after.items() if before.get(name) != value]
    if changed:
        audit.record(
            actor=actor,
            action="change account" if before else "make account",
            subject=audit.subject_of(user),
            subject_name=user.username,
            before={name: before[name] for name in changed if name in before},
            after={name: after[name] for name in changed},
        )


def note_passphrase(user: User, *, actor: User) -> None:
    audit.record(
        actor=actor,
        action="reset passphrase",
        subject=audit.subject_of(user),
        subject_name=user.username,
    )
