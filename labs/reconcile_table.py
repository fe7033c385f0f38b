"""What is done about a lab, from what its row says and what the engine sees. Pure: a table.

`labs.reconcile` reads both sides and carries the actions out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum, auto

from labs.engine.base import LabStatus
from labs.models import Lab


class Says(Enum):
    """What the row says, as far as it makes a difference."""

    ABSENT = auto()
    """Not started, or failed."""
    STARTING = auto()
    START_CUT_OFF = auto()
    """Whoever started it is dead."""
    READY = auto()
    PAUSED = auto()
    WANTED = auto()
    """Paused, and a run waits for it."""
    STOPPING = auto()
    STOP_CUT_OFF = auto()


class Sees(Enum):
    """What the engine sees of the container that the row names."""

    NOTHING = auto()
    """Removed, or there never was one."""
    RUNNING = auto()
    PAUSED = auto()
    ANEW = auto()
    """It was started anew by hand, so its files are lost."""
    ENDED = auto()
    """Killed, out of memory, or ended with its engine or machine."""


class Act(Enum):
    LEAVE = auto()
    SAVE = auto()
    """Make up for a checkpoint that was cut off, if one was."""
    WAKE = auto()
    NOTE_AWAKE = auto()
    """Somebody woke it by hand: the row follows."""
    NOTE_GONE = auto()
    """The next run starts it anew, with the files as last saved."""
    FAIL_START = auto()
    RING_STOP = auto()


TABLE: Mapping[tuple[Says, Sees], Act] = {
    **{(Says.ABSENT, sees): Act.LEAVE for sees in Sees},
    **{(Says.STARTING, sees): Act.LEAVE for sees in Sees},
    **{(Says.START_CUT_OFF, sees): Act.FAIL_START for sees in Sees},
    **{(Says.STOPPING, sees): Act.LEAVE for sees in Sees},
    **{(Says.STOP_CUT_OFF, sees): Act.RING_STOP for sees in Sees},
    (Says.READY, Sees.NOTHING): Act.NOTE_GONE,
    (Says.READY, Sees.RUNNING): Act.SAVE,
    (Says.READY, Sees.PAUSED): Act.WAKE,
    (Says.READY, Sees.ANEW): Act.NOTE_GONE,
    (Says.READY, Sees.ENDED): Act.NOTE_GONE,
    (Says.PAUSED, Sees.NOTHING): Act.NOTE_GONE,
    (Says.PAUSED, Sees.RUNNING): Act.NOTE_AWAKE,
    (Says.PAUSED, Sees.PAUSED): Act.LEAVE,
    (Says.PAUSED, Sees.ANEW): Act.NOTE_GONE,
    (Says.PAUSED, Sees.ENDED): Act.NOTE_GONE,
    (Says.WANTED, Sees.NOTHING): Act.NOTE_GONE,
    (Says.WANTED, Sees.RUNNING): Act.NOTE_AWAKE,
    (Says.WANTED, Sees.PAUSED): Act.WAKE,
    (Says.WANTED, Sees.ANEW): Act.NOTE_GONE,
    (Says.WANTED, Sees.ENDED): Act.NOTE_GONE,
}


def decide(says: Says, sees: Sees) -> Act:
    return TABLE[says, sees]


def read_row(lab: Lab, *, has_run: bool, now: datetime) -> Says:
    is_late = lab.state_deadline_at is not None and lab.state_deadline_at < now
    match lab.state:
        case Lab.State.STARTING:
            return Says.START_CUT_OFF if is_late else Says.STARTING
        case Lab.State.STOPPING:
            return Says.STOP_CUT_OFF if is_late else Says.STOPPING
        case Lab.State.READY:
            return Says.READY
        case Lab.State.PAUSED:
            return Says.WANTED if has_run else Says.PAUSED
    return Says.ABSENT


def read_container(status: LabStatus | None, *, known_start: str, seen_start: str) -> Sees:
    """`known_start` is when the row's container was started by us; empty where nobody noted it."""
    if status is None:
        return Sees.NOTHING
    if not (status.is_running or status.is_paused):
        return Sees.ENDED
    if known_start and seen_start != known_start:
        return Sees.ANEW
    return Sees.PAUSED if status.is_paused else Sees.RUNNING


def is_stray(lab: Lab | None, status: LabStatus) -> bool:
    """A container that no row stands for. One that is just being made, or ended, is left alone."""
    if lab is None:
        return True
    if lab.state in (Lab.State.STARTING, Lab.State.STOPPING):
        return status.generation < lab.generation
    return status.container_id != lab.container_id
