"""The only writer of labs and hosts, but for moves between hosts (`labs.hosts`). Each move of a lab
is one conditional UPDATE.

absent | failed → starting → ready ⇄ paused → stopping → absent      and starting → failed
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from labs import room, troubles
from labs.leases import LEASE_S
from labs.models import Host, Lab
from labs.prepared import Select, update_rows
from labs.room import NotYet

MOVE_DEADLINE_S = LEASE_S
"""For `starting` and `stopping`. Whoever starts or stops a lab puts it off while it works."""
SWEEP_EVERY_S = 3
"""Shorter than the beat's period, so that no beat comes too early."""
STOP_TRIES = 3
GONE = "Its container had ended or been removed."
OUT_OF_MEMORY = "It ran out of memory and ended."
UNSAVED = (
    "Its files could not be saved when it was stopped. "
    "It starts with the files that were saved before."
)
AWAKE_OR_PAUSED = (Lab.State.READY, Lab.State.PAUSED)


_lab_of_owner = Select(lambda: Lab.objects.select_related("host"), "owner_id = %s")


def lab_of(owner: Any) -> Lab:
    """The student's lab; its row is made at the first wish for it."""
    known = _lab_of_owner.first(owner.pk)
    return known or Lab.objects.select_related("host").get_or_create(owner=owner)[0]


def this_host() -> Host:
    """The host that this worker serves."""
    return Host.objects.get_or_create(name=settings.LAB_HOST)[0]


def report_host(host: Host, *, engine_version: str, engine_error: str, **memory: int) -> None:
    """`memory_bytes`, where it was asked for."""
    now = timezone.now()
    answered: dict[str, Any] = {} if engine_error else {"answered_at": now}
    Host.objects.filter(pk=host.pk).update(
        seen_at=now,
        engine_version=engine_version,
        engine_error=engine_error,
        **answered,
        **memory,
    )


def begin_start(
    lab: Lab,
    *,
    host: Host,
    memory_bytes: int = 0,
    time_limit_s: int | None = None,
    asked_at: datetime | None = None,
) -> bool:
    """Takes the lab into `starting` as a new generation. False when somebody else has it.

    `memory_bytes` and `time_limit_s` are the limits that it starts with. Raises NotYet where its
    last start has just failed, all places are taken, or others who wait to start come first.
    """
    if lab.retry_at and lab.retry_at > timezone.now():
        raise NotYet(f"{lab.reason} {troubles.kept()}")
    with transaction.atomic():
        host = Host.objects.select_for_update().get(pk=host.pk)  # one start counts after the other
        if lab.state in (Lab.State.ABSENT, Lab.State.FAILED):
            room.require_place(lab, host, need_bytes=memory_bytes)
        if lab.state in (Lab.State.ABSENT, Lab.State.FAILED) or lab.is_start_broken_off:
            room.require_start(lab, host, asked_at=asked_at)
        return _take_start(lab, host, memory_bytes=memory_bytes, time_limit_s=time_limit_s)


def _take_start(lab: Lab, host: Host, **fields: Any) -> bool:
    now = timezone.now()
    free = Q(state__in=[Lab.State.ABSENT, Lab.State.FAILED])
    broken_off = Q(state=Lab.State.STARTING, state_deadline_at__lt=now)
    moved = Lab.objects.filter(free | broken_off, pk=lab.pk, generation=lab.generation).update(
        **_state(Lab.State.STARTING, deadline_s=MOVE_DEADLINE_S),
        generation=F("generation") + 1,
        host=host,
        container_id="",
        **fields,
    )
    if moved:
        lab.refresh_from_db()
    return bool(moved)


def assign_host(lab: Lab, host: Host) -> bool:
    """Where it is to start. False for a lab that another host has, perhaps since this moment."""
    if Lab.objects.filter(pk=lab.pk, host=None).update(host=host):
        lab.host = host
    return lab.host_id == host.pk


def put_off_deadline(lab: Lab) -> None:
    """Says that who starts or stops this generation is still alive."""
    Lab.objects.filter(
        pk=lab.pk, generation=lab.generation, state__in=[Lab.State.STARTING, Lab.State.STOPPING]
    ).update(state_deadline_at=timezone.now() + timedelta(seconds=MOVE_DEADLINE_S))


def mark_ready(lab: Lab, *, container_id: str, image: str, started_at: str = "") -> bool:
    return _move(
        lab,
        Lab.State.STARTING,
        **_state(Lab.State.READY),
        container_id=container_id,
        container_started_at=started_at,
        image=image,
        active_at=timezone.now(),
        unsaved_since_at=None,  # its files are those of a checkpoint
        failures=0,
        retry_at=None,
    )


def mark_failed(lab: Lab, *, reason: str, detail: str = "", is_patient: bool = True) -> bool:
    """`reason` is for its owner, `detail` for admins. Each failure in a row puts the next try off
    for longer, unless `is_patient` is False, as where a try costs nothing."""
    failures = lab.failures + 1
    pause_s = backoff_s(failures) if is_patient else 0
    now = timezone.now()
    return _move(
        lab,
        Lab.State.STARTING,
        **_state(Lab.State.FAILED, reason=reason),
        failures=failures,
        retry_at=now + timedelta(seconds=pause_s),
        last_error=detail or reason,
        last_error_at=now,
    )


def backoff_s(failures: int) -> float:
    """0, 5, 10, 20, 40, 60, 60 … seconds after the first, second … failure. Pure."""
    return 0 if failures < 2 else min(5 * 2 ** (failures - 2), 60)


def try_again_now(lab: Lab) -> None:
    """Somebody has looked after it: the next start need not wait."""
    Lab.objects.filter(pk=lab.pk).update(failures=0, retry_at=None)


def fail_broken_start(lab: Lab) -> None:
    """Whoever was starting it has died."""
    Lab.objects.filter(
        pk=lab.pk,
        generation=lab.generation,
        state=Lab.State.STARTING,
        state_deadline_at__lt=timezone.now(),
    ).update(**_state(Lab.State.FAILED, reason="Its start was broken off."))


def begin_stop(lab: Lab) -> bool:
    """False when there is nothing to stop, or it is being stopped already."""
    return bool(
        Lab.objects.filter(pk=lab.pk)
        .filter(state__in=[*AWAKE_OR_PAUSED, Lab.State.STARTING, Lab.State.FAILED])
        .update(**_stopping())
    )


def begin_quiet_stop(lab: Lab, *, quiet_since: datetime, reason: str) -> bool:
    """Only where nothing has happened in it since, and nothing is going on. It says why."""
    quiet = Lab.objects.filter(pk=lab.pk, generation=lab.generation).quiet_since(quiet_since)
    return bool(quiet.filter(state__in=AWAKE_OR_PAUSED).update(**_stopping(reason)))


def note_failed_stop(lab: Lab, *, detail: str) -> None:
    """Saving it failed once more; after STOP_TRIES its container goes without."""
    stopping = Lab.objects.filter(pk=lab.pk, state=Lab.State.STOPPING)
    now = timezone.now()
    stopping.update(failures=F("failures") + 1, last_error=detail, last_error_at=now)


def is_past_saving(lab: Lab) -> bool:
    return lab.state == Lab.State.STOPPING and lab.failures >= STOP_TRIES


def mark_absent(lab: Lab, *, reason: str = "") -> bool:
    """The container of this very generation is gone, by our hand or not."""
    reason = reason or (UNSAVED if is_past_saving(lab) else lab.reason)
    return bool(
        Lab.objects.filter(pk=lab.pk, generation=lab.generation)
        .exclude(state__in=[Lab.State.ABSENT, Lab.State.STARTING])
        .update(**_state(Lab.State.ABSENT, reason=reason), container_id="", failures=0)
    )


def mark_gone(container_id: str, *, reason: str = GONE) -> None:
    """The lab that this container stood for, if it still does, is absent now."""
    Lab.objects.filter(container_id=container_id, state__in=AWAKE_OR_PAUSED).update(
        **_state(Lab.State.ABSENT, reason=reason), container_id=""
    )


def begin_pause(lab: Lab, *, quiet_since: datetime) -> bool:
    """Only a saved lab in which nothing has happened since, and nothing is going on."""
    quiet = Lab.objects.filter(pk=lab.pk, generation=lab.generation, unsaved_since_at=None)
    ready = quiet.quiet_since(quiet_since).filter(state=Lab.State.READY)
    return bool(ready.update(**_state(Lab.State.PAUSED)))


def begin_wake(lab: Lab) -> bool:
    """False when it is not paused any more."""
    return _move(lab, Lab.State.PAUSED, **_state(Lab.State.READY), active_at=timezone.now())


def keep(lab: Lab) -> None:
    """Its owner wants to go on with it: its time of quiet begins anew."""
    Lab.objects.filter(pk=lab.pk).update(active_at=timezone.now())


def mark_unsaved(lab: Lab) -> None:
    """Its workspace may differ from the last checkpoint from now on."""
    now = timezone.now()
    update_rows(Lab, {"active_at": now, "unsaved_since_at": now}, "id = %s", [lab.pk])
    lab.unsaved_since_at = now


def mark_saved(lab: Lab, *, unsaved_since_at: Any) -> None:
    """Unless something has run since the checkpoint began."""
    still = "id = %s AND unsaved_since_at = %s"
    update_rows(Lab, {"unsaved_since_at": None}, still, [lab.pk, unsaved_since_at])


def set_message(lab: Lab, *, text: str) -> None:
    """What its owner reads on the next page, in place of an earlier message."""
    Lab.objects.filter(pk=lab.pk).update(message=text, message_at=timezone.now())


def clear_message(lab: Lab, *, message_at: Any) -> None:
    """It was read. A newer one stays."""
    Lab.objects.filter(pk=lab.pk, message_at=message_at).update(message="", message_at=None)


def set_draining(host: Host, *, is_draining: bool) -> bool:
    """False where it was so already."""
    changed = Host.objects.filter(pk=host.pk).exclude(is_draining=is_draining)
    return bool(changed.update(is_draining=is_draining))


def set_capacity(host: Host, *, capacity_bytes: int | None, capacity_labs: int | None) -> None:
    """None leaves it to the settings."""
    Host.objects.filter(pk=host.pk).update(
        capacity_bytes=capacity_bytes, capacity_labs=capacity_labs
    )


def take_sweep(host: Host) -> bool:
    """True for one sweeper per host and SWEEP_EVERY_S seconds, however many beats there are."""
    now = timezone.now()
    due = Q(swept_at=None) | Q(swept_at__lt=now - timedelta(seconds=SWEEP_EVERY_S))
    return bool(Host.objects.filter(due, pk=host.pk).update(swept_at=now))


def want_sweep(host: Host) -> None:
    """The next sweep comes, however short ago the last one was."""
    Host.objects.filter(pk=host.pk).update(swept_at=None)


def _move(lab: Lab, before: str, **fields: Any) -> bool:
    moved = Lab.objects.filter(pk=lab.pk, generation=lab.generation, state=before).update(**fields)
    if moved:
        lab.refresh_from_db()
    return bool(moved)


def _stopping(reason: str = "") -> dict[str, Any]:
    return {
        **_state(Lab.State.STOPPING, deadline_s=MOVE_DEADLINE_S, reason=reason),
        "failures": 0,
    }


def _state(state: str, *, deadline_s: float | None = None, reason: str = "") -> dict[str, Any]:
    now = timezone.now()
    return {
        "state": state,
        "state_since_at": now,
        "state_deadline_at": now + timedelta(seconds=deadline_s) if deadline_s else None,
        "reason": reason,
    }
