"""The worker's side: carries a run from its row into a lab, and what happened back into rows.

`labs.keeper` starts and stops the lab itself.

Everything here may be cut off after any line and called again, by this worker or another one.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from labs import (
    doorbell,
    hosts,
    keeper,
    leases,
    lifecycle,
    log_lines,
    pauses,
    pooled,
    queue,
    room,
    runs,
    saving,
)
from labs.engine.base import (
    Batch,
    EngineError,
    Exit,
    LabGone,
    LabStatus,
    Output,
    RunForgotten,
    RunSpec,
    SupervisorLink,
    UnknownRun,
)
from labs.engines import get_engine
from labs.failpoints import reach
from labs.models import Run
from labs.troubles import waiting_words

logger = logging.getLogger(__name__)

Ending = tuple[Exit, Sequence[Output]]
"""A run's receipt, with the output that came just before it."""

FIRST_RENEWAL_S = 0.5
"""Soon after the start, to hear a wish to stop that came before the lab knew the run."""
LAB_DIED = gettext_noop(
    "Your lab stopped in the middle of this run, so nobody can say how it would have ended. "
    "The output up to there is kept. Press Run again: your lab starts with your last saved files."
)
NOBODY_CAME = gettext_noop(
    "No lab could start it in time. Nothing was run. Press Run to try again."
)
ENGINE_TROUBLE = gettext_noop(
    "The lab machine does not answer just now. Your run is kept and starts by itself."
)
LINE_CUT = gettext_noop(
    "The lab machine does not answer just now. Your lab has your run and never runs it twice. "
    "What it wrote, and how it ended, shows here once the machine answers."
)


def execute_run(run_id: uuid.UUID) -> None:
    """Takes the run where it stands and carries it to its end; nothing if somebody else does."""
    run = runs.find_free(run_id)
    if run is None:
        return
    if hosts.is_elsewhere(run.lab):  # it was rung for before a host took its lab
        queue.enqueue_run(run)
        return
    if _has_to_wait(run):
        return
    log_lines.note(lab=run.lab_id)
    was_saved = run.lab.unsaved_since_at is None
    if not _take(run, was_saved=was_saved):
        return
    reach("lease_taken")
    try:
        _carry_on(run, was_saved=was_saved)
    except EngineError as error:
        logger.warning("run %s: %s", run.id, error)
        _put_off(run, error)
    except Exception:
        if _is_overdue(run):  # a mistake of ours is no reason to try for ever
            runs.lose_run(run, reason="overdue", detail=LAB_DIED)
        raise
    finally:
        if not run.is_over:  # else its receipt has been rung for
            doorbell.ring(str(run.id))
        reach("attempt_over")


def _has_to_wait(run: Run) -> bool:
    """As many labs are starting as may, and its own would be one more: so no thread is held and no
    row written for it. It is rung for when its turn comes; its page counts who is before it."""
    is_cold = run.state == Run.State.QUEUED and run.lab.state in hosts.AT_REST
    is_told_apart = run.waiting_for or run.stop_asked_at
    return is_cold and not is_told_apart and not room.is_start_free(lifecycle.this_host())


def _take(run: Run, *, was_saved: bool) -> bool:
    """Takes the run; one whose lab is ready and saved, in the same move, for the start."""
    can_start = was_saved and run.state == Run.State.QUEUED and not run.stop_asked_at
    ready = _find_ready(run) if can_start else None
    with transaction.atomic():
        if ready:
            lifecycle.mark_unsaved(run.lab)
        return runs.take_lease(run, worker=leases.new_name(), ready=ready)


def _find_ready(run: Run) -> LabStatus | None:
    with suppress(EngineError):
        return keeper.find_ready(run.lab)
    return None


def _put_off(run: Run, error: EngineError) -> None:
    """The run waits for its lab, but not beyond its deadline. Nothing for one that is over."""
    if run.state == Run.State.QUEUED:
        runs.release_lease(run, waiting_for=waiting_words(error))
        if isinstance(error, room.StartsTaken):  # a start may have ended meanwhile, and rung before
            pauses.ring_waiting(lifecycle.this_host())
    elif _is_overdue(run):
        runs.lose_run(run, reason="overdue", detail=LAB_DIED)
    else:
        runs.release_lease(run, waiting_for=LINE_CUT)


def _carry_on(run: Run, *, was_saved: bool) -> None:
    if run.state == Run.State.QUEUED and not _choose_lab(run):
        return
    try:
        link = get_engine().link(run.container_id)
        ending = _start_and_follow(run, link)
    except (LabGone, UnknownRun, RunForgotten) as error:
        logger.warning("run %s is lost: %s", run.id, error)
        _lose(run, error)
    else:
        if ending:
            _finish(run, ending, link, was_saved=was_saved)


def _lose(run: Run, error: EngineError) -> None:
    """A lab that doesn't know what it has begun is not the lab that it was."""
    if isinstance(error, UnknownRun) and run.state == Run.State.STARTING:
        runs.lose_run(run, reason="never_started", detail=NOBODY_CAME)
        return
    runs.lose_run(run, reason="lab_gone", detail=LAB_DIED)
    if not isinstance(error, RunForgotten):
        lifecycle.mark_gone(run.container_id)


def _choose_lab(run: Run) -> bool:
    """Writes down the ready lab that will be asked. False when there is nothing more to do."""
    if run.stop_asked_at and runs.stop_unstarted(run):
        return False
    keep = partial(runs.renew_lease, run)
    status = keeper.ensure_lab(run.lab, keep=keep, asked_at=run.queued_at)
    reach("lab_chosen")
    if run.lab.unsaved_since_at:
        with leases.kept(partial(runs.renew_lease, run)):
            saving.save_before_run(run.lab, get_engine().link(status.container_id))
    with transaction.atomic():
        lifecycle.mark_unsaved(run.lab)
        return runs.mark_starting(run, status=status)


def _start_and_follow(run: Run, link: SupervisorLink) -> Ending | None:
    """The run's end, with the output just before it; None when another worker has taken it over.

    Long after the press nothing is begun any more: then the lab is only asked what it knows.
    """
    if run.waiting_for:
        runs.clear_waiting(run)
    start = None
    if run.state == Run.State.STARTING and not _is_overdue(run):
        reach("starting_marked")
        start = _spec_of(run)
    return _follow(run, link, link.carry_run(str(run.id), run.output_offset, start=start))


def _follow(run: Run, link: SupervisorLink, story: Iterable[Batch]) -> Ending | None:
    renew_at = time.monotonic() + FIRST_RENEWAL_S
    for batch in story:
        reach("run_started")
        if batch and isinstance(batch[-1], Exit):
            return batch[-1], _output_of(batch)
        if not (_store(run, batch) if batch else _tick(run)):
            return None
        if time.monotonic() > renew_at:
            renew_at = time.monotonic() + leases.RENEW_EVERY_S
            if not _renew(run, link):
                return None
    raise EngineError("the supervisor ended the run's story without its end")


def _store(run: Run, batch: Batch) -> bool:
    """False when another worker has taken the run over."""
    if not runs.add_output(run, _output_of(batch)):
        return False
    doorbell.ring(str(run.id))
    reach("chunk_stored")
    return True


def _output_of(batch: Batch) -> list[Output]:
    return [piece for piece in batch if isinstance(piece, Output)]


def _tick(run: Run) -> bool:
    """Nothing came for a while: so it runs. False when another worker has taken it over."""
    if _is_overdue(run):
        raise EngineError("the supervisor should have ended the run long ago")
    is_ours = True
    if run.state == Run.State.STARTING:
        is_ours = runs.mark_running(run)
        doorbell.ring(str(run.id))
    pooled.give_back()
    return is_ours


def _renew(run: Run, link: SupervisorLink) -> bool:
    """False when another worker has taken the run over. Hears a wish to stop that nobody rang."""
    _pass_on_stop(run, link)
    return runs.renew_lease(run)


def _is_overdue(run: Run) -> bool:
    return run.state_deadline_at < timezone.now()


def _finish(run: Run, ending: Ending, link: SupervisorLink, *, was_saved: bool) -> None:
    """The receipt first, so that nobody waits for the checkpoint; a cut-off one is made up for
    by the sweeper, since the lab stays marked as unsaved.

    The supervisor compares files with what it last handed out, which may never have been stored:
    so a lab that was unsaved before is saved even if nothing changed.
    """
    exit, last_output = ending
    reach("exit_heard")
    is_saved = was_saved and not exit.workspace_changed
    with transaction.atomic():
        if not runs.finish_run(run, exit, last_output):
            return
        if is_saved:
            lifecycle.mark_saved(run.lab, unsaved_since_at=run.lab.unsaved_since_at)
    doorbell.ring(str(run.id))
    reach("receipt_written")
    if not is_saved:
        saving.save_after_run(run, link)
    reach("files_saved")
    link.forget_run(str(run.id))
    reach("run_forgotten")


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
    except EngineError as error:
        logger.info("run %s: stopping it is left to its follower: %s", run.id, error)


def _pass_on_stop(run: Run, link: SupervisorLink) -> None:
    """A wish that came before the lab knew the run would otherwise be heard by nobody."""
    run.refresh_from_db(fields=["stop_asked_at"])
    if run.stop_asked_at:
        link.stop_run(str(run.id))


def _spec_of(run: Run) -> RunSpec:
    return RunSpec(
        run_id=str(run.id),
        argv=run.argv,
        workdir=run.workdir,
        env=run.env,
        time_limit_s=run.time_limit_s,
        terminal=str(run.typed_into or ""),
        line=run.command if run.typed_into else "",
    )
