"""Which host a lab is on: who may take a new one, and when one leaves its host for another.

Nobody plans: a lab without a host is a task on one shared queue, to which only workers with room
listen. Here is what puts it there, and who listens. Starts themselves are in `labs.lifecycle`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from labs import doorbell, queue, room, runs
from labs.engine.base import EngineError, Limits
from labs.models import Host, Lab, Run

logger = logging.getLogger(__name__)

HOST_DIED = gettext_noop(
    "The machine that your lab was on does not answer any more. "
    "Your lab starts on another one, with your last saved files."
)
RUN_DIED = gettext_noop(
    "The machine that your lab was on stopped in the middle of this run, so nobody can say how it "
    "would have ended. The output up to there is kept. Press Run again: your lab starts on another "
    "machine with your last saved files."
)
AT_REST = (Lab.State.ABSENT, Lab.State.FAILED)


class Elsewhere(EngineError):
    """The lab is started on another host: only the worker there can ask it."""


def refuse_elsewhere(lab: Lab) -> None:
    """Raises Elsewhere. What this host's engine does not know is not gone there."""
    if is_elsewhere(lab):
        raise Elsewhere(f"lab {lab.pk} is on another host")


def is_elsewhere(lab: Lab) -> bool:
    """It is started on another host than this process's, whose engine knows nothing of it.

    No query for a lab that was read with its host.
    """
    if lab.host is None or lab.state in AT_REST:
        return False
    return bool(lab.host.name != settings.LAB_HOST)


def has_room(host: Host) -> bool:
    """It takes labs, its engine has answered lately, and one more of ordinary size goes on it."""
    is_well = host.answered_at is not None and not _is_silent(host) and not host.engine_error
    return is_well and room.free_places(host, need_bytes=Limits().memory_bytes) > 0


def is_to_take_labs(host: Host) -> bool:
    """Whether its worker listens to the shared queue: with room, or where nobody has any, since
    somebody has to tell those who wait."""
    others = Host.objects.exclude(pk=host.pk)
    return has_room(host) or not any(has_room(other) for other in others)


def move_labs_to(host: Host) -> None:
    """Called by the worker of a host that is well: takes labs off hosts that can't start them."""
    if not has_room(host):
        return
    for other in Host.objects.exclude(pk=host.pk):
        if _is_silent(other):
            _leave_dead(other)
        elif other.seen_at and not has_room(other):  # else its worker is still to come
            _free_waiting(other)


def _is_silent(host: Host) -> bool:
    """Its engine has not answered its worker for long: the machine, or one of the two, is gone."""
    silent_since = timezone.now() - timedelta(seconds=settings.LAB_HOST_DEAD_S)
    return host.answered_at is not None and host.answered_at < silent_since


def _leave_dead(host: Host) -> None:
    """What ran there is lost and says so; should the machine come back, its worker finds containers
    without a row and removes them."""
    under_way = Run.objects.active().exclude(state=Run.State.QUEUED).filter(lab__host=host)
    for run in under_way.select_related("lab"):
        runs.lose_run(run, reason="host_gone", detail=RUN_DIED)
        doorbell.ring(str(run.id))
    moved = Lab.objects.filter(host=host).exclude(state__in=AT_REST)
    count = moved.update(
        state=Lab.State.ABSENT,
        state_since_at=timezone.now(),
        state_deadline_at=None,
        reason=HOST_DIED,
        container_id="",
        host=None,
        failures=0,
        retry_at=None,
    )
    if count:
        logger.error("host %s is silent: its %d labs start elsewhere", host.name, count)
    _free_waiting(host)


def _free_waiting(host: Host) -> None:
    """Labs at rest that somebody waits for may start anywhere."""
    waits = Q(runs__state=Run.State.QUEUED) | Q(wishes__state__in=["queued", "working"])
    at_rest = Lab.objects.filter(host=host, state__in=AT_REST)
    waiting = list(at_rest.filter(waits).values_list("pk", flat=True))
    freed = at_rest.filter(pk__in=waiting)
    if freed.update(host=None):
        _ring(waiting)


def _ring(lab_pks: Sequence[int]) -> None:
    ready = Run.objects.filter(lab__in=lab_pks, lab__host=None, state=Run.State.QUEUED)
    for run in ready.select_related("lab__host"):
        queue.enqueue_run(run)
