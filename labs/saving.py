"""When the sweep saves a lab's files: once nobody types, or every minute while somebody does."""

from __future__ import annotations

import threading
import time

from django.utils import timezone

from labs import checkpoints
from labs.engines import get_engine
from labs.models import Checkpoint, Lab

QUIET_S = 4.0
"""After the last key: then the files of a command that was typed are mostly written."""
EVERY_S = 60.0

_saved: dict[int, float] = {}
"""Lab → when this process saved it last, by the monotonic clock. Only to spare work."""
_lock = threading.Lock()


def is_due(*, quiet_s: float | None, since_save_s: float, has_terminal: bool) -> bool:
    """`quiet_s` is the time since the files may have changed last; None where all is saved.

    Without a terminal, what is unsaved is a run's checkpoint that was cut off. With one, a program
    that goes on by itself may change files without a key.
    """
    if has_terminal and since_save_s >= EVERY_S:
        return True
    if quiet_s is None:
        return False
    return not has_terminal or quiet_s >= QUIET_S


def save_if_due(lab: Lab) -> None:
    """Not during a run: its own checkpoint comes when it ends. Raises EngineError."""
    has_terminal = lab.terminals.open().exists()
    due = is_due(quiet_s=_quiet_s(lab), since_save_s=_since_save_s(lab), has_terminal=has_terminal)
    if due and not lab.runs.active().exists():
        cause = Checkpoint.Cause.TERMINAL if has_terminal else Checkpoint.Cause.RUN
        checkpoints.save_checkpoint(lab, get_engine().link(lab.container_id), cause=cause)
        with _lock:
            _saved[lab.pk] = time.monotonic()


def _quiet_s(lab: Lab) -> float | None:
    since = lab.unsaved_since_at
    return (timezone.now() - since).total_seconds() if since else None


def _since_save_s(lab: Lab) -> float:
    """Since this process first looked, where it has not saved the lab yet."""
    now = time.monotonic()
    with _lock:
        return now - _saved.setdefault(lab.pk, now)
