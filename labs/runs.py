"""The only writer of runs and their output. Each move of a run is one conditional UPDATE.

    queued → starting → running → finished | timed out | stopped | lost

A run is held by a lease. Whoever holds it may move the run; when it runs out, anybody may take it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from labs.command import Command
from labs.engine.base import Exit, LabStatus, Output
from labs.leases import LEASE_S, is_known_dead
from labs.models import Host, Lab, OutputChunk, Run
from labs.prepared import Select, insert_row, update_rows
from labs.refusal import Refused

QUEUED_DEADLINE_S = 15 * 60
STARTING_DEADLINE_S = 120
RUNNING_GRACE_S = 120
"""Beyond a run's own time limit: what the supervisor needs to end it and to be heard again."""

ACTIVE = "labs_run.state IN ('queued', 'starting', 'running')"
FREE = f"{ACTIVE} AND (lease_until_at IS NULL OR lease_until_at < %s)"
HELD = f"id = %s AND lease_owner = %s AND {ACTIVE}"
_free_run = Select(lambda: Run.objects.select_related("lab__host"), f"labs_run.id = %s AND {FREE}")

STATE_OF_REASON = {
    "timed_out": Run.State.TIMED_OUT,
    "stopped": Run.State.STOPPED,
    "output_limit": Run.State.STOPPED,
    "terminal_gone": Run.State.STOPPED,
    "not_typed": Run.State.LOST,
}


def create_run(
    *,
    owner: Any,
    key: uuid.UUID,
    lab: Lab,
    command: Command,
    line: str,
    origin: str,
    origin_version: str,
    time_limit_s: int,
    typed_into: uuid.UUID | None = None,
) -> Run:
    """The new queued run, or the one that a racing press with the same key has just made.

    Raises Refused while another run of this lab is not over.
    """
    run = Run(
        owner=owner,
        key=key,
        lab=lab,
        command=line,
        argv=list(command.argv),
        env=dict(command.env),
        workdir=command.workdir,
        origin=origin,
        origin_version=origin_version,
        time_limit_s=time_limit_s,
        typed_into=typed_into,
        state_deadline_at=_in(QUEUED_DEADLINE_S),
    )
    if insert_row(run, unless_known=True):
        return run
    if known := Run.objects.filter(owner=owner, key=key).first():
        return known
    raise Refused(
        _(
            "Another command is still running in your lab. Nothing was started. "
            "Wait until it ends, or stop it, then press Run again."
        )
    )


def find_free(run_id: uuid.UUID) -> Run | None:
    """The run with its lab and host; None when it is over or somebody holds it."""
    return _free_run.first(run_id, timezone.now())


def take_lease(run: Run, *, worker: str, ready: LabStatus | None = None) -> bool:
    """Takes the run as it was found. False when it has moved or somebody holds it.

    A queued run whose lab is `ready` is marked as starting there in the same move.
    """
    fields = {"lease_owner": worker, "lease_until_at": _in(LEASE_S)}
    if ready and run.state == Run.State.QUEUED:
        fields |= _starting(ready)
    as_found = "id = %s AND state = %s AND output_offset = %s"
    found = (run.pk, run.state, run.output_offset, timezone.now())
    return _update(run, fields, f"{as_found} AND {FREE}", found)


def renew_lease(run: Run) -> bool:
    """True while the lease is still ours; now for another LEASE_S seconds."""
    return bool(_held(run).update(lease_until_at=_in(LEASE_S)))


def release_lease(run: Run, *, waiting_for: str) -> None:
    """Lets go of a run that can't move now, and says why on its page."""
    _held(run).update(lease_owner="", lease_until_at=None, waiting_for=waiting_for)


def free_dead_leases(host: Host) -> None:
    """Frees the runs of workers that are known to be dead, without waiting for their leases."""
    near = Q(lab__host=host) | Q(lab__host=None)
    for run in Run.objects.active().filter(near).exclude(lease_owner=""):
        if is_known_dead(run.lease_owner):
            _held(run).update(lease_owner="", lease_until_at=None)


def clear_waiting(run: Run) -> None:
    """The run moves again: its page need no longer say why it doesn't."""
    _held(run).update(waiting_for="")
    run.waiting_for = ""


def mark_starting(run: Run, *, status: LabStatus) -> bool:
    """Writes which container is about to be asked, before it is. False when the lease is gone."""
    return run.state == Run.State.QUEUED and _move(run, _starting(status))


def mark_running(run: Run) -> bool:
    """False when the lease is gone."""
    return _move(run, _running(run))


def add_output(run: Run, pieces: Sequence[Output]) -> bool:
    """Stores the pieces, the new offset and the lease in one transaction. A piece twice is one row.

    Who writes is running: the first piece says so too. False when the lease is gone; then nothing
    is stored: two workers cut the same bytes into different pieces.
    """
    fields: dict[str, Any] = {"lease_until_at": _in(LEASE_S)}
    if run.state == Run.State.STARTING:
        fields |= _running(run)
    with transaction.atomic():
        return _move(run, fields | _behind(pieces)) and _store(run, pieces)


def finish_run(run: Run, exit: Exit, pieces: Sequence[Output] = ()) -> bool:
    """Writes the receipt, and the last pieces with it. False when the run was over already, since
    the first receipt stays, or when pieces can't be stored because the lease is gone."""
    fields = _receipt(run, exit)
    with transaction.atomic(savepoint=False):
        if pieces:
            return _move(run, fields | _behind(pieces)) and _store(run, pieces)
        return _update(run, fields, f"id = %s AND {ACTIVE}", [run.pk])


def stop_unstarted(run: Run) -> bool:
    """Ends a run that no lab was asked to start. True when it had indeed not been."""
    stopped = Run.objects.filter(pk=run.pk, state=Run.State.QUEUED).update(
        state=Run.State.STOPPED,
        reason="stopped",
        detail=gettext_noop("It had not begun."),
        **_ended(),
    )
    return bool(stopped)


def lose_run(run: Run, *, reason: str, detail: str) -> bool:
    """Says that nobody knows how it ended, or that it never began. It is never run again.

    False when it is over, or has moved on since `run` was read.
    """
    seen = Run.objects.filter(pk=run.pk, state=run.state).active()
    return bool(seen.update(state=Run.State.LOST, reason=reason, detail=detail, **_ended()))


def ask_stop(run: Run) -> None:
    Run.objects.filter(pk=run.pk, stop_asked_at=None).active().update(stop_asked_at=timezone.now())


def _behind(pieces: Sequence[Output]) -> dict[str, Any]:
    last = pieces[-1]
    return {"output_offset": last.offset + len(last.data)}


def _store(run: Run, pieces: Sequence[Output]) -> bool:
    for piece in pieces:
        chunk = OutputChunk(
            run=run, offset=piece.offset, stream=piece.stream, at_s=piece.at_s, data=piece.data
        )
        insert_row(chunk, unless_known=True)
    return True


def _receipt(run: Run, exit: Exit) -> dict[str, Any]:
    return {
        "state": STATE_OF_REASON.get(exit.reason, Run.State.FINISHED),
        "reason": exit.reason,
        "detail": exit.detail,
        "exit_code": exit.exit_code,
        "signal": exit.signal,
        "duration_s": exit.duration_s,
        "bytes_total": exit.bytes_total,
        "lines_total": exit.lines_total,
        "truncated_bytes": exit.truncated_bytes,
        "leftovers": exit.leftovers,
        "oom_kills": exit.oom_kills,
        "memory_peak_bytes": exit.memory_peak_bytes,
        "typed_at_s": None if exit.typed_at_ms is None else exit.typed_at_ms / 1000,
        "started_at": run.started_at or timezone.now() - timedelta(seconds=exit.duration_s),
        **_ended(),
    }


def _starting(status: LabStatus) -> dict[str, Any]:
    return {
        "state": Run.State.STARTING,
        "state_deadline_at": _in(STARTING_DEADLINE_S),
        "lab_generation": status.generation,
        "container_id": status.container_id,
        "image": status.image,
        "waiting_for": "",
    }


def _running(run: Run) -> dict[str, Any]:
    return {
        "state": Run.State.RUNNING,
        "state_deadline_at": _in(run.time_limit_s + RUNNING_GRACE_S),
        "started_at": timezone.now(),
        "waiting_for": "",
    }


def _move(run: Run, fields: dict[str, Any]) -> bool:
    """Changes the run if its lease is still ours and it stands where we think it does."""
    held = (run.pk, run.lease_owner, run.state)
    return _update(run, fields, f"{HELD} AND state = %s", held)


def _update(run: Run, fields: dict[str, Any], condition: str, params: Sequence[Any]) -> bool:
    updated = update_rows(Run, fields, condition, params)
    if updated:
        for name, value in fields.items():
            setattr(run, name, value)
    return bool(updated)


def _held(run: Run) -> Any:
    return Run.objects.filter(pk=run.pk, lease_owner=run.lease_owner).active()


def _ended() -> dict[str, Any]:
    return {
        "ended_at": timezone.now(),
        "lease_owner": "",
        "lease_until_at": None,
        "waiting_for": "",
    }


def _in(seconds: float) -> Any:
    return timezone.now() + timedelta(seconds=seconds)
