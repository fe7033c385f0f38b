"""Which checkpoints are kept: all of today, one a day after that, every hand-in for ever. Pure.

Of a lab that fills disks, not all of today: one student must not take everybody's room.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

ROOM_BYTES = 1024 * 1024 * 1024
"""Of a lab's checkpoints of today, the newest up to here: sixteen of the largest workspaces."""


@dataclass(frozen=True)
class Kept:
    """A checkpoint whose files are still there."""

    pk: int
    lab_id: int
    made_at: datetime
    is_for_ever: bool
    size_bytes: int = 0


def choose_to_thin(checkpoints: Sequence[Kept], *, now: datetime, zone: tzinfo) -> Collection[int]:
    """Keys of those whose files may go: before today, all but the last of each lab and day."""
    old = _before_today(checkpoints, now=now, zone=zone)
    return {*old, *_beyond_room(kept for kept in checkpoints if kept.pk not in old)}


def _beyond_room(checkpoints: Iterable[Kept]) -> Collection[int]:
    """Never the newest of a lab: it is the lab's files."""
    used: dict[int, int] = {}
    beyond = set()
    for kept in sorted(checkpoints, key=lambda kept: (kept.made_at, kept.pk), reverse=True):
        before = used.get(kept.lab_id)
        used[kept.lab_id] = (before or 0) + kept.size_bytes
        if before is not None and used[kept.lab_id] > ROOM_BYTES and not kept.is_for_ever:
            beyond.add(kept.pk)
    return beyond


def _before_today(checkpoints: Sequence[Kept], *, now: datetime, zone: tzinfo) -> Collection[int]:
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
