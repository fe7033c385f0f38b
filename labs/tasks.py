"""Celery's door: ids in, one call, nothing out."""

from __future__ import annotations

import logging
import uuid

from celery import shared_task
from celery.signals import task_prerun, worker_ready
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from labs import (
    checkpoints,
    fulfilment,
    images,
    keeper,
    lifecycle,
    log_lines,
    manager,
    musters,
    pauses,
    queue,
    reconcile,
    samples,
    terminals,
)
from labs.models import Host

logger = logging.getLogger(__name__)


task_prerun.connect(log_lines.begin_task, weak=False)


@task_prerun.connect
def close_lost_connections(**kwargs: object) -> None:
    """A thread keeps its line to the database from task to task, but not a lost one."""
    close_old_connections()


@shared_task
def execute_run(run_id: str) -> None:
    manager.execute_run(uuid.UUID(run_id))


@shared_task
def stop_run(run_id: str) -> None:
    manager.stop_run(uuid.UUID(run_id))


@shared_task
def stop_lab(lab_id: str) -> None:
    keeper.stop_lab(int(lab_id))
    pauses.ring_waiting(lifecycle.this_host())


@shared_task
def carry_out_muster(muster_id: str) -> None:
    musters.carry_out(int(muster_id))


@shared_task
def build_image(build_id: str) -> None:
    images.build_image(int(build_id))


@shared_task
def fulfil_wish(wish_id: str) -> None:
    fulfilment.fulfil_wish(int(wish_id))


@shared_task
def tidy_checkpoints() -> None:
    checkpoints.tidy(timezone.now())


@shared_task
def tidy_recordings() -> None:
    terminals.remove_old_recordings()


@shared_task
def sample_host(host_id: str) -> None:
    samples.sample_host(Host.objects.get(pk=int(host_id)))


@shared_task
def sweep_host(host_id: str) -> None:
    reconcile.sweep_host(Host.objects.get(pk=int(host_id)))


@shared_task
def sweep() -> None:
    """The beat's: a round for each host, done by the worker beside its engine."""
    for host in Host.objects.all():
        queue.enqueue_sweep_of_host(host)


@worker_ready.connect
def sweep_at_start(**kwargs: object) -> None:
    """A worker before this one may have died right after its own sweep."""
    try:
        host = lifecycle.this_host()
        lifecycle.want_sweep(host)
        queue.enqueue_sweep_of_host(host)
    except DatabaseError:  # else it would be this worker's end; the beat's sweep comes anyway
        logger.exception("no sweep at the start")
