"""Brings rows and containers of this host into step, and rings again for what nobody holds."""

from __future__ import annotations

import logging

from django.db.models import Q
from django.utils import timezone

from labs import checkpoints, doorbell, lifecycle, queue, runs
from labs.engine.base import EngineError, LabStatus
from labs.engines import get_engine
from labs.manager import LAB_DIED
from labs.models import Checkpoint, Host, Lab, Run

logger = logging.getLogger(__name__)

NOBODY_CAME = "No lab could start it in time. Nothing was run. Press Run to try again."
GONE = "Its container had ended or been removed."


def sweep_host(host: Host) -> None:
    """One round: the engine's health, labs against containers, and every run that nobody holds."""
    if not lifecycle.take_sweep(host):
        return
    try:
        _report(host)
        _reconcile_labs(host)
    except EngineError as error:
        logger.warning("host %s: %s", host.name, error)
        lifecycle.report_host(host, engine_version="", engine_error=str(error))
    lose_overdue_runs()
    ring_again(host)


def ring_again(host: Host) -> None:
    """For every run without a lease and every lab that was to stop: the ring may have been lost."""
    now = timezone.now()
    ours = Q(lab__host=host) | Q(lab__host=None)
    for run in Run.objects.nobody_holds(now).filter(ours).select_related("lab__host"):
        queue.enqueue_run(run)
    for lab in host.labs.filter(state=Lab.State.STOPPING, state_deadline_at__lt=now):
        queue.enqueue_stop_lab(lab)


def lose_overdue_runs() -> None:
    """A run in a state beyond its deadline will never leave it by itself."""
    for run in Run.objects.active().filter(state_deadline_at__lt=timezone.now()):
        if run.state == Run.State.QUEUED:
            runs.lose_run(run, reason="never_started", detail=NOBODY_CAME)
        else:
            runs.lose_run(run, reason="overdue", detail=LAB_DIED)
        doorbell.ring(str(run.id))


def _report(host: Host) -> None:
    lifecycle.report_host(host, engine_version=get_engine().ping(), engine_error="")


def _reconcile_labs(host: Host) -> None:
    containers = {status.lab_id: status for status in get_engine().list_labs()}
    labs = {str(lab.pk): lab for lab in Lab.objects.filter(host=host)}
    for lab_id, lab in labs.items():
        _put_right(lab, containers.get(lab_id))
    for lab_id, status in containers.items():
        if _is_stray(status, labs.get(lab_id)):
            get_engine().remove_lab(status.container_id)


def _put_right(lab: Lab, status: LabStatus | None) -> None:
    if lab.state != Lab.State.READY:
        return
    is_behind = status and status.is_running and status.container_id == lab.container_id
    if not is_behind:
        lifecycle.mark_absent(lab, reason=GONE)
    elif lab.unsaved_since_at and not lab.runs.active().exists():
        link = get_engine().link(lab.container_id)
        checkpoints.save_checkpoint(lab, link, cause=Checkpoint.Cause.RUN)


def _is_stray(status: LabStatus, lab: Lab | None) -> bool:
    """A container that no row stands for. One that is just being made is left alone."""
    if lab is None:
        return True
    lab.refresh_from_db()
    if lab.state in (Lab.State.STARTING, Lab.State.STOPPING):
        return status.generation < lab.generation
    return status.container_id != lab.container_id
