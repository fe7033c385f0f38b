"""The worker's side of a lab: makes sure of its container, and takes it down with its files saved.

Like `labs.manager`, it may be cut off after any line and called again, by anybody.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial

from django.conf import settings
from django.utils import timezone

from labs import checkpoints, hosts, leases, lifecycle, pauses, pooled, queue, wishes
from labs.engine.base import (
    EngineDown,
    EngineError,
    ImageMissing,
    LabGone,
    LabSpec,
    LabStatus,
    Limits,
    SupervisorLink,
    UnknownRun,
)
from labs.engines import get_engine
from labs.failpoints import reach
from labs.limits import allowance_of
from labs.models import Checkpoint, Lab, Run, Wish
from labs.troubles import reason_for

logger = logging.getLogger(__name__)

START_PATIENCE_S = 60
STOP_PATIENCE_S = 4


def ensure_lab(
    lab: Lab, *, keep: Callable[[], object], asked_at: datetime | None = None
) -> LabStatus:
    """The lab's running container, started now if need be. Raises EngineError.

    `keep` is called every now and then while that takes its time. Nobody waits in a thread for a
    turn to start: that is StartsTaken, and who comes later than `asked_at` comes behind.
    """
    with leases.kept(keep):
        return _start_or_wait(lab, asked_at)


def _start_or_wait(lab: Lab, asked_at: datetime | None) -> LabStatus:
    """Another worker may be starting or stopping the lab just now."""
    give_up_at = time.monotonic() + START_PATIENCE_S
    while time.monotonic() < give_up_at:
        lab.refresh_from_db()
        if status := find_ready(lab):
            return status
        allowance = allowance_of(lab)
        if lifecycle.begin_start(
            lab,
            host=lifecycle.this_host(),
            memory_bytes=allowance.memory_bytes,
            time_limit_s=allowance.time_limit_s,
            asked_at=asked_at,
        ):
            return _start_and_ring(lab, allowance.limits())
        if lab.is_stop_broken_off:
            stop_lab(lab.pk)
        pooled.give_back()
        time.sleep(0.1)
    raise EngineError(f"lab {lab.pk} has been {lab.state} for too long")


def find_ready(lab: Lab) -> LabStatus | None:
    """The container behind a ready lab; when there is none, the row is put right.

    Raises Elsewhere for a lab that has meanwhile been started on another host.
    """
    hosts.refuse_elsewhere(lab)
    if lab.state == Lab.State.PAUSED:
        pauses.wake_lab(lab)
    if lab.state != Lab.State.READY:
        return None
    try:
        get_engine().link(lab.container_id)
        pauses.refuse_restarted(lab)
    except LabGone:
        lifecycle.mark_gone(lab.container_id)
        return None
    return LabStatus(
        lab_id=str(lab.pk),
        generation=lab.generation,
        container_id=lab.container_id,
        state="running",
        image=lab.image,
        spec_hash="",
    )


def _start_and_ring(lab: Lab, limits: Limits) -> LabStatus:
    """Whose turn it is then is rung for; but not where the engine is down, as it is for others."""
    try:
        status = _start(lab, limits)
    except EngineError as error:
        if not isinstance(error, EngineDown):
            pauses.ring_waiting(lifecycle.this_host())
        raise
    reach("start_over")
    for run in lab.runs.nobody_holds(timezone.now()):  # it was put off, and somebody else came
        queue.enqueue_run(run)
    pauses.ring_waiting(lifecycle.this_host())
    return status


def _start(lab: Lab, limits: Limits) -> LabStatus:
    engine = get_engine()
    reach("lab_starting")
    try:
        with leases.kept(partial(lifecycle.put_off_deadline, lab)):
            spec = _spec_of_lab(lab, limits)
            pooled.give_back()
            status = engine.create_lab(spec)
            reach("lab_created")
            checkpoints.restore_newest(lab, engine.link(status.container_id))
    except EngineError as error:
        lifecycle.mark_failed(
            lab,
            reason=reason_for(error),
            detail=str(error),
            is_patient=not isinstance(error, EngineDown),
        )
        raise
    if not lifecycle.mark_ready(
        lab,
        container_id=status.container_id,
        image=status.image,
        started_at=status.started_at,
    ):
        engine.remove_lab(status.container_id)
        raise EngineError(f"lab {lab.pk} was stopped while it started")
    return status


def stop_lab(lab_id: int) -> None:
    """Ends the lab's run, saves its files, removes its container. Only for a lab in `stopping`
    that is on this host: another one's engine would find nothing to save."""
    stopping = Lab.objects.filter(pk=lab_id, state=Lab.State.STOPPING)
    lab = stopping.select_related("host").first()
    if lab is None or hosts.is_elsewhere(lab):
        return
    lifecycle.put_off_deadline(lab)
    try:
        with leases.kept(partial(lifecycle.put_off_deadline, lab)):
            _save_and_remove(lab)
    except EngineDown:
        raise
    except EngineError as error:
        lifecycle.note_failed_stop(lab, detail=str(error))
        raise
    lifecycle.mark_absent(lab)


def _save_and_remove(lab: Lab) -> None:
    status = get_engine().find_lab(str(lab.pk))
    if status and status.generation <= lab.generation:
        _save_before_stop(lab, status)
        get_engine().remove_lab(status.container_id)


def _save_before_stop(lab: Lab, status: LabStatus) -> None:
    """Not from a container that never became the lab: its files were not restored yet."""
    is_alive = status.is_running or status.is_paused
    if not is_alive or status.container_id != lab.container_id or lifecycle.is_past_saving(lab):
        return
    try:
        if status.is_paused:
            get_engine().wake_lab(status.container_id)
        pauses.refuse_restarted(lab)
        link = get_engine().link(status.container_id)
        _end_live_run(lab, link)
        checkpoints.save_checkpoint(lab, link, cause=Checkpoint.Cause.STOP)
    except LabGone as error:
        logger.warning("lab %s was gone before it could be saved: %s", lab.pk, error)


def _end_live_run(lab: Lab, link: SupervisorLink) -> None:
    for run in lab.runs.active().exclude(state=Run.State.QUEUED):
        with suppress(UnknownRun):
            link.stop_run(str(run.id))
        _wait_until_over(run)


def _wait_until_over(run: Run) -> None:
    give_up_at = time.monotonic() + STOP_PATIENCE_S
    while time.monotonic() < give_up_at and Run.objects.filter(pk=run.pk).active().exists():
        time.sleep(0.05)


def _spec_of_lab(lab: Lab, limits: Limits) -> LabSpec:
    return LabSpec(
        lab_id=str(lab.pk),
        generation=lab.generation,
        uid=lab.uid,
        image=_image_for(lab),
        limits=limits,
        runtime=settings.LAB_RUNTIME,
    )


def _image_for(lab: Lab) -> str:
    """A restart keeps the lab's image while it is there; any other start takes the newest."""
    if lab.image and wishes.find_under_way(lab, Wish.Kind.RESTART):
        with suppress(ImageMissing):
            return get_engine().resolve_image(lab.image)
    return get_engine().resolve_image(settings.LAB_IMAGE)
