"""Numbers as the console's tables say them. Pure."""

from __future__ import annotations

from datetime import datetime

from django.utils.timesince import timesince
from django.utils.translation import gettext as _

MIB = 1024 * 1024
MANY_MIB = 4096
"""From here on sizes are said in GiB."""


def mib(size_bytes: int | None) -> str:
    """Such as `103 MiB`; empty where nobody knows."""
    if size_bytes is None:
        return ""
    if size_bytes >= MANY_MIB * MIB:
        return _("%(size)s GiB") % {"size": _number(size_bytes // 1024)}
    return _("%(size)s MiB") % {"size": _number(size_bytes)}


def share(used_bytes: int | None, limit_bytes: int | None) -> str:
    """Such as `103 of 256 MiB`; empty where nobody knows."""
    if used_bytes is None:
        return ""
    if limit_bytes is None:
        return mib(used_bytes)
    if limit_bytes >= MANY_MIB * MIB:
        return _("%(used)s of %(limit)s") % {"used": mib(used_bytes), "limit": mib(limit_bytes)}
    return _("%(used)s of %(limit)s MiB") % {
        "used": _number(used_bytes),
        "limit": _number(limit_bytes),
    }


def age(moment: datetime, now: datetime) -> str:
    """How long ago, in seconds or in one larger unit: `12 s`, `3 hours`."""
    seconds = int((now - moment).total_seconds())
    if seconds < 60:
        return _("%(seconds)d s") % {"seconds": max(0, seconds)}
    return timesince(moment, now, depth=1)


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
