"""The worker's side: carries a wish from its row into a lab, and what happened back into rows.

Everything here may be cut off after any line and called again, by this worker or another one.
"""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid

from django.conf import settings

from labs import checkpoints, doorbell, lifecycle, runs
from labs.engine.base import (
    EngineError,
    Exit,
    LabGone,
    LabSpec,
    LabStatus,
    Output,
    RunForgotten,
    RunSpec,
    SupervisorLink,
    UnknownRun,
)
from labs.engines import get_engine
from labs.models import Checkpoint, Lab, Run

logger = logging.getLogger(__name__)

START_PATIENCE_S = 60
STOP_PATIENCE_S = 4
LAB_DIED = (
    "Your lab stopped in the middle of this run, so nobody can say how it would have ended. "
    "The output up to there is kept. Press Run again: your lab starts with your last saved files."
)
ENGINE_TROUBLE = "The lab machine does not answer just now. Your run is kept and starts by itself."


def execute_run(run_id: uuid.UUID) -> None:
    """Takes the run where it stands and carries it to its end; nothing if somebody else does."""
    run = runs.take_lease(run_id, worker=_lease_name())
    if run is None:
        return
    try:
        _carry_on(run)
    except EngineError as error:
        logger.warning("run %s waits: %s", run.id, error)
        runs.release_lease(run, waiting_for=ENGINE_TROUBLE)
    finally:
        doorbell.ring(str(run.id))


def _carry_on(run: Run) -> None:
    if run.state == Run.State.QUEUED and not _choose_lab(run):
        return
    try:
        link = get_engine().link(run.container_id)
        exit = _start_and_follow(run, link)
    except (LabGone, UnknownRun, RunForgotten) as error:
        logger.warning("run %s is lost: %s", run.id, error)
        runs.lose_run(run, reason="lab_gone", detail=LAB_DIED)
        _lab_is_gone(run.lab)
        return
    if exit:
        _finish(run, exit, link)


def _choose_lab(run: Run) -> bool:
    """Writes down the ready lab that will be asked. False when there is nothing more to do."""
    if run.stop_asked_at and runs.stop_unstarted(run):
        return False
    status = ensure_lab(run.lab)
    return runs.mark_starting(run, status=status)


def _start_and_follow(run: Run, link: SupervisorLink) -> Exit | None:
    """The run's end; None when another worker has taken it over meanwhile."""
    if run.state == Run.State.STARTING:
        lifecycle.mark_unsaved(run.lab)
        link.start_run(_spec_of(run))
        if not runs.mark_running(run):
            return None
        doorbell.ring(str(run.id))
    _pass_on_stop(run, link)
    return _follow(run, link)


def _follow(run: Run, link: SupervisorLink) -> Exit | None:
    renewed_at = time.monotonic()
    for piece in link.follow_run(str(run.id), run.output_offset):
        if isinstance(piece, Exit):
            return piece
        if isinstance(piece, Output):
            runs.add_output(run, [piece])
            doorbell.ring(str(run.id))
        if time.monotonic() - renewed_at > runs.LEASE_S / 4:
            renewed_at = time.monotonic()
            if not runs.renew_lease(run):
                return None
    raise LabGone("the supervisor ended the run's story without its end")


def _finish(run: Run, exit: Exit, link: SupervisorLink) -> None:
    """The receipt first, so that nobody waits for the checkpoint; a cut-off one is made up for
    by the sweeper, since the lab stays marked as unsaved."""
    runs.finish_run(run, exit)
    doorbell.ring(str(run.id))
    if exit.workspace_changed:
        checkpoints.save_checkpoint(run.lab, link, cause=Checkpoint.Cause.RUN, run=run)
    else:
        lifecycle.mark_saved(run.lab, unsaved_since_at=_unsaved_since(run.lab))
    link.forget_run(str(run.id))


def stop_run(run_id: uuid.UUID) -> None:
    """Passes a wish to stop on to where the run is; whoever follows it hears of its end."""
    run = Run.objects.select_related("lab").filter(pk=run_id).active().first()
    if run is None:
        return
    if runs.stop_unstarted(run):
        doorbell.ring(str(run.id))
        return
    try:
        get_engine().link(run.container_id).stop_run(str(run.id))
    except (LabGone, UnknownRun):
        logger.info("run %s: its follower will find that it can't be stopped", run.id)


def _pass_on_stop(run: Run, link: SupervisorLink) -> None:
    """A wish that came between the two halves of the start would otherwise be heard by nobody."""
    run.refresh_from_db(fields=["stop_asked_at"])
    if run.stop_asked_at:
        link.stop_run(str(run.id))


def ensure_lab(lab: Lab) -> LabStatus:
    """The lab's running container, started now if need be. Raises EngineError."""
    give_up_at = time.monotonic() + START_PATIENCE_S
    while time.monotonic() < give_up_at:
        lab.refresh_from_db()
        if lab.state == Lab.State.READY and (status := _running(lab)):
            return status
        if lifecycle.begin_start(lab, host=lifecycle.this_host()):
            return _start(lab)
        time.sleep(0.1)
    raise EngineError(f"lab {lab.pk} has been {lab.state} for too long")


def _running(lab: Lab) -> LabStatus | None:
    """The container behind a ready lab; when there is none, the row is put right."""
    try:
        get_engine().link(lab.container_id)
    except LabGone:
        _lab_is_gone(lab)
        return None
    return LabStatus(
        lab_id=str(lab.pk),
        generation=lab.generation,
        container_id=lab.container_id,
        state="running",
        image=lab.image,
        spec_hash="",
    )


def _start(lab: Lab) -> LabStatus:
    engine = get_engine()
    try:
        status = engine.create_lab(_spec_of_lab(lab))
        checkpoints.restore_newest(lab, engine.link(status.container_id))
    except EngineError as error:
        lifecycle.mark_failed(lab, reason=str(error))
        raise
    if not lifecycle.mark_ready(lab, container_id=status.container_id, image=status.image):
        engine.remove_lab(status.container_id)
        raise EngineError(f"lab {lab.pk} was stopped while it started")
    return status


def stop_lab(lab_id: int) -> None:
    """Ends the lab's run, saves its files, removes its container. Only for a lab in `stopping`."""
    lab = Lab.objects.filter(pk=lab_id, state=Lab.State.STOPPING).first()
    if lab is None:
        return
    engine = get_engine()
    if status := engine.find_lab(str(lab.pk)):
        _save_before_stop(lab, status)
        engine.remove_lab(status.container_id)
    lifecycle.mark_absent(lab)


def _save_before_stop(lab: Lab, status: LabStatus) -> None:
    if not status.is_running:
        return
    try:
        link = get_engine().link(status.container_id)
        _end_live_run(lab, link)
        checkpoints.save_checkpoint(lab, link, cause=Checkpoint.Cause.STOP)
    except LabGone as error:
        logger.warning("lab %s was gone before it could be saved: %s", lab.pk, error)


def _end_live_run(lab: Lab, link: SupervisorLink) -> None:
    for run in lab.runs.active().exclude(state=Run.State.QUEUED):
        link.stop_run(str(run.id))
        _wait_until_over(run)


def _wait_until_over(run: Run) -> None:
    give_up_at = time.monotonic() + STOP_PATIENCE_S
    while time.monotonic() < give_up_at and Run.objects.filter(pk=run.pk).active().exists():
        time.sleep(0.05)


def _lab_is_gone(lab: Lab) -> None:
    lifecycle.mark_absent(lab, reason="Its container had ended or been removed.")


def _unsaved_since(lab: Lab) -> object:
    lab.refresh_from_db(fields=["unsaved_since_at"])
    return lab.unsaved_since_at


def _spec_of_lab(lab: Lab) -> LabSpec:
    return LabSpec(
        lab_id=str(lab.pk),
        generation=lab.generation,
        uid=lab.uid,
        image=get_engine().resolve_image(settings.LAB_IMAGE),
        runtime=settings.LAB_RUNTIME,
    )


def _spec_of(run: Run) -> RunSpec:
    return RunSpec(
        run_id=str(run.id),
        argv=run.argv,
        workdir=run.workdir,
        env=run.env,
        time_limit_s=run.time_limit_s,
    )


def _lease_name() -> str:
    """Unique to this very attempt: two attempts in one process must not pass for one."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
