"""Musters: labs warmed and proven before their students need them. The only writer of musters.

    waiting → starting → good | bad      and starting → waiting where no place is free

A worker that takes one goes on with the next, LAB_STARTS_AT_ONCE of them at most on one host.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from labs import audit, hosts, keeper, lab_files, leases, lifecycle, probe, queue
from labs.engine.base import EngineDown, EngineError
from labs.engines import get_engine
from labs.leases import LEASE_S
from labs.models import Host, Lab, Muster
from labs.room import NotYet
from labs.troubles import reason_for

logger = logging.getLogger(__name__)


def request_muster(owners: Iterable[Any], *, actor: Any) -> int:
    """Writes the wish that each of these people's labs be warm and proven. How many were new."""
    return sum(_request(lifecycle.lab_of(owner), actor, is_rebuild=False) for owner in owners)


def request_repair(lab: Lab, *, actor: Any) -> bool:
    """The lab gets a new container with its saved files, and is proven anew."""
    return _request(lab, actor, is_rebuild=True)


def _request(lab: Lab, actor: Any, *, is_rebuild: bool) -> bool:
    """False where the same wish is not over yet."""
    with transaction.atomic():
        under_way = Muster.objects.filter(lab=lab, state__in=Muster.UNFINISHED)
        if under_way.exists():
            return False
        muster, _ = Muster.objects.update_or_create(
            lab=lab,
            defaults={
                **_state(Muster.State.WAITING),
                "asked_at": timezone.now(),
                "ended_at": None,
                "is_rebuild": is_rebuild,
                "problem": "",
            },
        )
        action = "repair lab" if is_rebuild else "warm lab"
        audit.record(
            actor=actor,
            action=action,
            subject=f"lab {lab.pk}",
            subject_name=lab.owner.get_username(),
        )
        queue.enqueue_muster(muster)
    return True


def ring_again(host: Host) -> None:
    """For every one that nobody carries out: the ring may have been lost, or a place be free."""
    for muster in _free(host).select_related("lab__host")[: settings.LAB_STARTS_AT_ONCE]:
        queue.enqueue_muster(muster)


# The worker's side


def carry_out(pk: int) -> None:
    """This one, if nobody has it, and then whichever are left of this host."""
    host = lifecycle.this_host()
    muster = _take(_free(host).filter(pk=pk), host)
    while muster and _is_settled(muster):
        muster = _take(_free(host), host)


def _free(host: Host) -> Any:
    cut_off = Q(state=Muster.State.STARTING, state_deadline_at__lt=timezone.now())
    ours = Q(lab__host=host) | Q(lab__host=None)
    free = Muster.objects.filter(ours, Q(state=Muster.State.WAITING) | cut_off)
    return free.order_by("asked_at", "pk")


def _take(free: Any, host: Host) -> Muster | None:
    """The first of these, now ours; None where there is none, or as many are under way as may."""
    with transaction.atomic():
        Host.objects.select_for_update().get(pk=host.pk)  # so that nobody counts at the same time
        under_way = Muster.objects.filter(
            lab__host=host, state=Muster.State.STARTING, state_deadline_at__gte=timezone.now()
        )
        # Of two hosts that come for one whose lab has none yet, the second takes the next.
        unlocked = free.select_for_update(skip_locked=True, of=("self",))
        muster: Muster | None = unlocked.select_related("lab__host", "lab__owner").first()
        if muster is None or under_way.count() >= settings.LAB_STARTS_AT_ONCE:
            return None
        if not lifecycle.assign_host(muster.lab, host):
            return None
        Muster.objects.filter(pk=muster.pk).update(
            **_state(Muster.State.STARTING, deadline_s=LEASE_S)
        )
    return muster


def _is_settled(muster: Muster) -> bool:
    """False where it has to wait, and others would too."""
    try:
        with leases.kept(partial(_put_off_deadline, muster)):
            found = _warm_and_prove(muster)
    except NotYet as error:
        _end(muster, Muster.State.WAITING, problem=str(error))
        return False
    except hosts.Elsewhere:  # a run was quicker: that host's worker goes on with it
        _end(muster, Muster.State.WAITING)
        return False
    except EngineError as error:
        logger.warning("%s: %s", muster, error)
        _end(muster, Muster.State.BAD, problem=reason_for(error))
        return not isinstance(error, EngineDown)
    except Exception:  # a mistake of ours is no reason to try for ever
        _end(muster, Muster.State.BAD, problem=reason_for(EngineError()))
        raise
    problem = probe.name_problem(found)
    _end(
        muster,
        Muster.State.BAD if problem else Muster.State.GOOD,
        problem=problem,
        node_version=found.node_version,
        python_version=found.python_version,
        disk_left_bytes=found.disk_left_bytes,
    )
    return True


def _warm_and_prove(muster: Muster) -> probe.Found:
    lab = muster.lab
    lifecycle.try_again_now(lab)
    if muster.is_rebuild and lifecycle.begin_stop(lab):
        keeper.stop_lab(lab.pk)
    lab.refresh_from_db()
    status = keeper.ensure_lab(lab, keep=_nothing)
    link = get_engine().link(status.container_id)
    exit, written = lab_files.run_in_lab(link, probe.ARGV, limit_s=probe.LIMIT_S)
    return probe.read_report(written, exit_code=exit.exit_code)


def _nothing() -> None:
    """The muster's own lease is kept already."""


def _put_off_deadline(muster: Muster) -> None:
    starting = Muster.objects.filter(pk=muster.pk, state=Muster.State.STARTING)
    starting.update(state_deadline_at=timezone.now() + timedelta(seconds=LEASE_S))


def _end(muster: Muster, state: str, **fields: Any) -> None:
    """A wish that was written anew meanwhile is not touched."""
    ended_at = None if state == Muster.State.WAITING else timezone.now()
    held = Muster.objects.filter(pk=muster.pk, state=Muster.State.STARTING)
    held.filter(asked_at=muster.asked_at).update(**_state(state), ended_at=ended_at, **fields)


def _state(state: str, *, deadline_s: float | None = None) -> dict[str, Any]:
    deadline_at = timezone.now() + timedelta(seconds=deadline_s) if deadline_s else None
    return {"state": state, "state_deadline_at": deadline_at}
