"""Numbers as the console's tables say them. Pure."""

from __future__ import annotations

from django.utils.translation import gettext as _

MIB = 1024 * 1024


def mib(size_bytes: int | None) -> str:
    """Such as `103 MiB`; empty where nobody knows."""
    if size_bytes is None:
        return ""
    return _("%(size)s MiB") % {"size": _number(size_bytes)}


def share(used_bytes: int | None, limit_bytes: int | None) -> str:
    """Such as `103 of 256 MiB`; empty where nobody knows."""
    if used_bytes is None:
        return ""
    if limit_bytes is None:
        return mib(used_bytes)
    return _("%(used)s of %(limit)s MiB") % {
        "used": _number(used_bytes),
        "limit": _number(limit_bytes),
    }


def percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0f} %"


def count(used: int | None, limit: int | None) -> str:
    """Such as `12 of 128`."""
    if used is None:
        return ""
    return (
        str(used) if limit is None else _("%(used)d of %(limit)d") % {"used": used, "limit": limit}
    )


def _number(size_bytes: int) -> str:
    """Whole MiB, tenths below ten, so that a nearly empty lab does not look like none."""
    size = size_bytes / MIB
    return f"{size:.1f}".removesuffix(".0") if size < 10 else f"{size:.0f}"
