"""Brings rows and containers of this host into step, and rings again for what nobody holds."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from labs import checkpoints, doorbell, images, lifecycle, queue, runs, samples, wishes
from labs.engine.base import EngineDown, EngineError, LabStatus
from labs.engines import get_engine
from labs.manager import LAB_DIED, NOBODY_CAME
from labs.models import Checkpoint, Host, Lab, Run

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
        _report(host)
        _reconcile_labs(host)
        samples.sample_host(host)
        images.look_after(host)
    except EngineError as error:
        logger.warning("host %s: %s", host.name, error)
        lifecycle.report_host(host, engine_version="", engine_error=str(error))


def ring_again(host: Host) -> None:
    """For every run without a lease and every lab that was to stop: the ring may have been lost."""
    now = timezone.now()
    ours = Q(lab__host=host) | Q(lab__host=None)
    for run in Run.objects.nobody_holds(now).filter(ours).select_related("lab__host"):
        queue.enqueue_run(run)
    for lab in host.labs.filter(state=Lab.State.STOPPING, state_deadline_at__lt=now):
        queue.enqueue_stop_lab(lab)
    for wish in wishes.of_host(host).nobody_holds(now):
        queue.enqueue_wish(wish)


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


def _report(host: Host) -> None:
    lifecycle.report_host(host, engine_version=get_engine().ping(), engine_error="")


def _reconcile_labs(host: Host) -> None:
    """Rows are read before the containers: a lab that becomes ready meanwhile is in neither."""
    labs = list(host.labs.exclude(state=Lab.State.ABSENT))
    containers = get_engine().list_labs()
    behind = {status.container_id for status in containers if status.state in ALIVE}
    for lab in labs:
        _put_right(lab, is_behind=lab.container_id in behind)
    for status in containers:
        if _is_stray(host, status):
            get_engine().remove_lab(status.container_id)


def _put_right(lab: Lab, *, is_behind: bool) -> None:
    """One lab's trouble is not the others'."""
    try:
        if lab.state == Lab.State.STARTING:
            lifecycle.fail_broken_start(lab)
        elif lab.state == Lab.State.READY and not is_behind:
            lifecycle.mark_gone(lab.container_id)
        elif lab.state == Lab.State.READY:
            _save_if_unsaved(lab)
    except EngineDown:
        raise
    except EngineError as error:
        logger.warning("lab %s could not be put right: %s", lab.pk, error)


def _save_if_unsaved(lab: Lab) -> None:
    """Makes up for a checkpoint that was cut off."""
    if lab.unsaved_since_at and not lab.runs.active().exists():
        link = get_engine().link(lab.container_id)
        checkpoints.save_checkpoint(lab, link, cause=Checkpoint.Cause.RUN)


def _is_stray(host: Host, status: LabStatus) -> bool:
    """A container that no row stands for. One that is just being made is left alone."""
    lab = Lab.objects.filter(pk=status.lab_id, host=host).first()
    if lab is None:
        return True
    if lab.state in (Lab.State.STARTING, Lab.State.STOPPING):
        return status.generation < lab.generation
    return status.container_id != lab.container_id
