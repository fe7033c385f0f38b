"""When files are saved: around runs, and by the sweep once nobody types or, while somebody does,
every minute."""

from __future__ import annotations

import logging
import threading
import time

from django.utils import timezone

from labs import checkpoints
from labs.engine.base import EngineDown, EngineError, LabGone, SupervisorLink
from labs.engines import get_engine
from labs.models import Checkpoint, Lab, Run

logger = logging.getLogger(__name__)

QUIET_S = 4.0
"""After the last key: then the files of a command that was typed are mostly written."""
EVERY_S = 60.0
SWEEPS_AT_ONCE = 2

_saved: dict[int, float] = {}
"""Lab → when this process saved it last, by the monotonic clock. Only to spare work."""
_lock = threading.Lock()
_of_sweeps = threading.BoundedSemaphore(SWEEPS_AT_ONCE)
"""A student can make the saving of a lab last a minute: so many sweeps at most wait for it, since
their few threads also hear Stop and see to everybody else's lab."""


def save_before_run(lab: Lab, link: SupervisorLink) -> None:
    """Saves what is unsaved, so that the history shows a run's own changes and no others.

    A lab that can't be saved just now runs all the same: it stays unsaved, and is tried again.
    Raises LabGone, EngineDown.
    """
    try:
        with checkpoints.alone_with(lab):
            if lab.unsaved_since_at:
                _save(lab, link, otherwise=Checkpoint.Cause.BEFORE_RUN)
    except (LabGone, EngineDown):
        raise
    except EngineError as error:
        logger.warning("lab %s could not be saved before a run: %s", lab.pk, error)


def save_after_run(run: Run, link: SupervisorLink) -> None:
    """Nothing where the next run or the sweep has been quicker: what is there now may be another's.

    What was saved while it ran says nothing about what it left.
    """
    with checkpoints.alone_with(run.lab):
        if not _is_seen_to(run):
            checkpoints.save_alone(run.lab, link, cause=Checkpoint.Cause.RUN, run=run)


def _is_seen_to(run: Run) -> bool:
    if run.lab.unsaved_since_at:
        return run.lab.runs.begun().exists()
    return run.lab.checkpoints.filter(made_at__gte=run.ended_at).exists()


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
    """Not during a run: its own checkpoint comes when it ends. Nor while somebody saves the lab:
    the next sweep looks again. Raises EngineError."""
    of_this_lab = lab.terminals.open().filter(lab_generation__in=(0, lab.generation))
    has_terminal = of_this_lab.exists()
    if not is_due(
        quiet_s=_quiet_s(lab), since_save_s=_since_save_s(lab), has_terminal=has_terminal
    ):
        return
    if not _of_sweeps.acquire(blocking=False):
        return
    try:
        _save_alone(lab, has_terminal=has_terminal)
    finally:
        _of_sweeps.release()


def _save_alone(lab: Lab, *, has_terminal: bool) -> None:
    cause = Checkpoint.Cause.TERMINAL if has_terminal else Checkpoint.Cause.RUN
    with checkpoints.alone_with(lab, wait=False) as is_alone:
        if not is_alone or lab.runs.active().exists():
            return
        if not (has_terminal or lab.unsaved_since_at):
            return
        _save(lab, get_engine().link(lab.container_id), otherwise=cause)
    with _lock:
        _saved[lab.pk] = time.monotonic()


def _save(lab: Lab, link: SupervisorLink, *, otherwise: str) -> None:
    """As the checkpoint of the run that left the files so, where nothing has touched them since:
    its own was cut off, or has not come yet."""
    since = lab.unsaved_since_at
    left = lab.runs.left_files(since=since, generation=lab.generation).first() if since else None
    cause = Checkpoint.Cause.RUN if left else otherwise
    checkpoints.save_alone(lab, link, cause=cause, run=left)


def _quiet_s(lab: Lab) -> float | None:
    since = lab.unsaved_since_at
    return (timezone.now() - since).total_seconds() if since else None


def _since_save_s(lab: Lab) -> float:
    """Since this process first looked, where it has not saved the lab yet."""
    now = time.monotonic()
    with _lock:
        return now - _saved.setdefault(lab.pk, now)
