"""Dates on a class's clock: what a typed time means, and how late a hand-in is. Pure.

Nothing stores how late something was: it follows from the dates, so that an extension given
afterwards is enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
FULL, PER_DAY, NOTHING = "full", "per_day", "nothing"


class NoSuchTime(ValueError):
    """The clocks are put forward over this time of day."""


@dataclass(frozen=True)
class LateRule:
    kind: str
    """`full`, `per_day` or `nothing`: what late work still earns."""
    percent: int = 0
    """Lost for each day begun, of what was earned."""


@dataclass(frozen=True)
class Lateness:
    days: int
    """Days begun after the due time; 0 is in time."""
    percent: int
    """Of the points earned, lost."""

    @property
    def is_late(self) -> bool:
        return self.days > 0


IN_TIME = Lateness(0, 0)


def lateness(rule: LateRule, due_at: datetime, at: datetime, zone: ZoneInfo) -> Lateness:
    """How late something handed in `at` is, and what that costs."""
    if at <= due_at:
        return IN_TIME
    days = days_late(due_at, at, zone)
    if rule.kind == NOTHING:
        return Lateness(days, 100)
    return Lateness(days, min(100, days * rule.percent) if rule.kind == PER_DAY else 0)


def days_late(due_at: datetime, at: datetime, zone: ZoneInfo) -> int:
    """Days begun by the class's clock: due 23:59, handed in 23:59 the next day is one day late,
    also where the clocks were changed between, which makes that day 23 or 25 hours long."""
    by_clock = _by_clock(at, zone) - _by_clock(due_at, zone)
    return max(1, math.ceil(by_clock / DAY))


def _by_clock(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def penalty(earned: int, late: Lateness) -> int:
    """Hundredths of points lost of those earned, to the nearest hundredth."""
    lost = Decimal(earned * late.percent) / 100
    return int(lost.quantize(Decimal(1), ROUND_HALF_UP))


def read_clock(typed: datetime, zone: ZoneInfo) -> datetime:
    """The moment of a time without zone, on that clock. Raises NoSuchTime.

    A time that comes twice, as the clocks are put back, is the second: nobody is late by it.
    """
    moment = typed.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if _by_clock(moment, zone) != typed.replace(tzinfo=None, fold=0):
        raise NoSuchTime
    return moment
