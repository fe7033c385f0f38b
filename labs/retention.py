"""Which checkpoints are kept: all of today, one a day after that, every hand-in for ever. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo


@dataclass(frozen=True)
class Kept:
    """A checkpoint whose files are still there."""

    pk: int
    lab_id: int
    made_at: datetime
    is_for_ever: bool


def choose_to_thin(checkpoints: Sequence[Kept], *, now: datetime, zone: tzinfo) -> Collection[int]:
    """Keys of those whose files may go: before today, all but the last of each lab and day."""
    today = now.astimezone(zone).date()
    last_of_day: dict[tuple[int, object], Kept] = {}
    for kept in checkpoints:
        key = kept.lab_id, kept.made_at.astimezone(zone).date()
        rank = kept.made_at, kept.pk
        if key not in last_of_day or (last_of_day[key].made_at, last_of_day[key].pk) < rank:
            last_of_day[key] = kept
    spared = {kept.pk for kept in last_of_day.values()}
    return {
        kept.pk
        for kept in checkpoints
        if kept.pk not in spared
        and not kept.is_for_ever
        and kept.made_at.astimezone(zone).date() < today
    }
