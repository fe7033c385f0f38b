"""Brings rows and containers of this host into step, and rings again for what nobody holds."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from labs import (
    doorbell,
    hosts,
    images,
    lifecycle,
    musters,
    pauses,
    queue,
    room,
    runs,
    saving,
    wishes,
)
from labs.engine.base import EngineDown, EngineError, LabGone, LabStatus, Limits
from labs.engines import get_engine
from labs.manager import LAB_DIED, NOBODY_CAME
from labs.models import Host, Lab, Run
from labs.reconcile_table import Act, decide, is_stray, read_container, read_row

logger = logging.getLogger(__name__)

ALIVE = ("running", "paused")
"""The engine's words for containers whose processes and files are still there."""
HOST_SILENT_S = 300


def sweep_host(host: Host) -> None:
    """One round: every run that nobody holds, the engine's health, labs against containers."""
    if not lifecycle.take_sweep(host):
        return
    runs.free_dead_leases(host)
    wishes.free_dead_leases(host)
    lose_overdue_runs(host)
    ring_again(host)
    try:
        _report(host, is_first=host.swept_at is None)
        _reconcile_labs(host)
        pauses.settle_quiet_labs(host)
        queue.enqueue_samples_of_host(host)
        images.look_after(host)
        hosts.move_labs_to(Host.objects.get(pk=host.pk))
    except EngineError as error:
        logger.warning("host %s: %s", host.name, error)
        lifecycle.report_host(host, engine_version="", engine_error=str(error))


def ring_again(host: Host) -> None:
    """For every run and every wish without a lease: the ring may have been lost.

    Not for runs whose lab has just failed to start: those wait a little longer each time. Nor for
    those that only wait for their turn to start, which the end of another start rings for.
    """
    now = timezone.now()
    ours = Q(lab__host=host) | Q(lab__host=None)
    is_due = Q(lab__retry_at=None) | Q(lab__retry_at__lte=now) | ~Q(state=Run.State.QUEUED)
    patient = _in_line_behind(host)
    for run in Run.objects.nobody_holds(now).filter(ours, is_due).select_related("lab__host"):
        if run.pk not in patient:
            queue.enqueue_run(run)
    for wish in wishes.of_host(host).nobody_holds(now):
        queue.enqueue_wish(wish)
    musters.ring_again(host)


def _in_line_behind(host: Host) -> set[uuid.UUID]:
    """The runs whose turn to start is yet to come, and whose page says so.

    None where nobody's turn comes by itself, since then all of them have to be told why.
    """
    is_full = not room.free_places(host, need_bytes=Limits.memory_bytes)
    if host.engine_error or (is_full and hosts.is_to_take_labs(host)):
        return set()
    later = room.waiting_runs(host)[pauses.count_turns(host) :]
    return {run.pk for run in later if not run.waiting_for}


def lose_overdue_runs(host: Host) -> None:
    """Ends runs that will never leave their state by themselves.

    How one ended that a lab was asked for, that lab may know: a worker beside it asks, however
    late. It is lost here only where another host has been silent for minutes.
    """
    now = timezone.now()
    overdue = Run.objects.active().filter(state_deadline_at__lt=now)
    for run in overdue.filter(state=Run.State.QUEUED):
        runs.lose_run(run, reason="never_started", detail=NOBODY_CAME)
        doorbell.ring(str(run.id))
    silent = Q(lab__host__seen_at__lt=now - timedelta(seconds=HOST_SILENT_S)) & ~Q(lab__host=host)
    for run in overdue.filter(silent).exclude(state=Run.State.QUEUED):
        runs.lose_run(run, reason="overdue", detail=LAB_DIED)
        doorbell.ring(str(run.id))


def _report(host: Host, *, is_first: bool) -> None:
    memory = {"memory_bytes": get_engine().memory_bytes()} if is_first else {}
    version = get_engine().ping()
    lifecycle.report_host(host, engine_version=version, engine_error="", **memory)


def _reconcile_labs(host: Host) -> None:
    """Rows are read before the containers: a lab that becomes ready meanwhile is in neither."""
    labs = list(host.labs.exclude(state=Lab.State.ABSENT))
    containers = get_engine().list_labs()
    by_id = {status.container_id: status for status in containers}
    for lab in labs:
        _put_right(lab, by_id.get(lab.container_id))
    for status in containers:
        if is_stray(Lab.objects.filter(pk=status.lab_id, host=host).first(), status):
            _remove_stray(status)


def _remove_stray(status: LabStatus) -> None:
    """An engine may refuse for long, such as while something holds a mount. Each sweep tries."""
    try:
        get_engine().remove_lab(status.container_id)
    except EngineDown:
        raise
    except EngineError as error:
        logger.warning("container %s could not be removed: %s", status.container_id, error)


def _put_right(lab: Lab, status: LabStatus | None) -> None:
    """One lab's trouble is not the others'."""
    try:
        _carry_out(_decide_for(lab, status), lab)
    except EngineDown:
        raise
    except EngineError as error:
        logger.warning("lab %s could not be put right: %s", lab.pk, error)


def _decide_for(lab: Lab, status: LabStatus | None) -> Act:
    has_run = lab.state == Lab.State.PAUSED and lab.runs.active().exists()
    says = read_row(lab, has_run=has_run, now=timezone.now())
    is_alive = status is not None and status.state in ALIVE
    seen_start = get_engine().started_at(lab.container_id) if is_alive else ""
    return decide(
        says, read_container(status, known_start=lab.container_started_at, seen_start=seen_start)
    )


def _carry_out(act: Act, lab: Lab) -> None:
    deeds: Mapping[Act, Callable[[Lab], object]] = {
        Act.SAVE: saving.save_if_due,
        Act.WAKE: _wake,
        Act.NOTE_AWAKE: lifecycle.begin_wake,
        Act.NOTE_GONE: _note_gone,
        Act.FAIL_START: lifecycle.fail_broken_start,
        Act.RING_STOP: queue.enqueue_stop_lab,
    }
    if act in deeds:
        deeds[act](lab)


def _wake(lab: Lab) -> None:
    lifecycle.begin_wake(lab)  # nothing for one that its row calls ready
    get_engine().wake_lab(lab.container_id)


def _note_gone(lab: Lab) -> None:
    lifecycle.mark_gone(lab.container_id, reason=_why_gone(lab.container_id))


def _why_gone(container_id: str) -> str:
    with suppress(LabGone):
        if get_engine().inspect_lab(container_id).is_out_of_memory:
            return lifecycle.OUT_OF_MEMORY
    return lifecycle.GONE
