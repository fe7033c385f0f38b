"""The worker's side of quiet labs: pauses them, wakes them, stops those that are quiet for long,
and makes room for those who wait.

A pause that is cut off is put right by the next sweep: rows say what should be.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from labs import lifecycle, queue, room, wishes
from labs.engine.base import EngineDown, EngineError, LabGone, Limits
from labs.engines import get_engine
from labs.models import Host, Lab
from labs.models.labs import LabQuerySet

logger = logging.getLogger(__name__)


def wake_lab(lab: Lab) -> None:
    """The lab goes on where it was; nothing for one that is not paused any more."""
    if not lifecycle.begin_wake(lab):
        lab.refresh_from_db()
        return
    try:
        get_engine().wake_lab(lab.container_id)
    except LabGone:
        lifecycle.mark_gone(lab.container_id)
        lab.refresh_from_db()


def refuse_restarted(lab: Lab) -> None:
    """Raises LabGone for a container that was started anew by hand: its files are lost with it."""
    known = lab.container_started_at
    if known and get_engine().started_at(lab.container_id) != known:
        raise LabGone("The lab's container was started anew by somebody else.")


def settle_quiet_labs(host: Host) -> None:
    """Pauses what is quiet, stops what is quiet for long or in the way of others."""
    now = timezone.now()
    for lab in _quiet(host, now, settings.LAB_STOP_AFTER_S):
        _stop(lab, now, settings.LAB_STOP_AFTER_S, reason=stopped_words())
    if host.is_draining:
        for lab in _quiet(host, now, settings.LAB_MAKE_ROOM_AFTER_S):
            _stop(lab, now, settings.LAB_MAKE_ROOM_AFTER_S, reason=made_room_words())
    else:
        _make_room(host, now)
    for lab in _quiet(host, now, settings.LAB_PAUSE_AFTER_S).filter(state=Lab.State.READY):
        _pause(lab, now)


def ring_waiting(host: Host) -> None:
    """A start is over, or a place free: those whose turn it is need not wait for the next sweep.

    Nobody else is rung for, since others would only be put off again.
    """
    now, most = timezone.now(), settings.LAB_STARTS_AT_ONCE
    waiting = list(wishes.waiting_for_start(host).nobody_holds(now)[:most])
    line = room.waiting_runs(host, first=most)
    turns = count_turns(host) if waiting or line else 0
    for wish in waiting[:turns]:
        queue.enqueue_wish(wish)
    for run in line[:turns]:
        if run.lease_until_at is None or run.lease_until_at < now:
            queue.enqueue_run(run, host=host)


def count_turns(host: Host) -> int:
    """How many labs may begin to start on this host just now."""
    return min(room.free_places(host, need_bytes=Limits.memory_bytes), room.free_starts(host))


def _make_room(host: Host, now: datetime) -> None:
    """Stops as many quiet labs as others wait for, the longest quiet ones first."""
    waiting = len(room.waiting_runs(host))
    if not waiting:
        return
    on_their_way = host.labs.filter(state=Lab.State.STOPPING).count()
    free = room.free_places(host, need_bytes=Limits.memory_bytes)
    wanted = max(0, waiting - free - on_their_way)
    for lab in _quiet(host, now, settings.LAB_MAKE_ROOM_AFTER_S)[:wanted]:
        _stop(lab, now, settings.LAB_MAKE_ROOM_AFTER_S, reason=made_room_words())


def _quiet(host: Host, now: datetime, for_s: float) -> LabQuerySet:
    """The longest quiet ones first."""
    since = now - timedelta(seconds=for_s)
    started = Lab.objects.filter(host=host, state__in=lifecycle.AWAKE_OR_PAUSED)
    return started.quiet_since(since).order_by("active_at")


def _stop(lab: Lab, now: datetime, for_s: float, *, reason: str) -> None:
    since = now - timedelta(seconds=for_s)
    if lifecycle.begin_quiet_stop(lab, quiet_since=since, reason=reason):
        queue.enqueue_stop_lab(lab)


def _pause(lab: Lab, now: datetime) -> None:
    """Who wakes it meanwhile may have come too early: so the row is read again."""
    since = now - timedelta(seconds=settings.LAB_PAUSE_AFTER_S)
    if not lifecycle.begin_pause(lab, quiet_since=since):
        return
    try:
        get_engine().pause_lab(lab.container_id)
    except LabGone:
        lifecycle.mark_gone(lab.container_id)
        return
    except EngineDown:
        raise
    except EngineError as error:  # the next sweep finds it awake, and says so
        logger.warning("lab %s could not be paused: %s", lab.pk, error)
        return
    lab.refresh_from_db()
    if lab.state != Lab.State.PAUSED:
        get_engine().wake_lab(lab.container_id)
    elif lab.runs.active().exists():
        wake_lab(lab)


def stopped_words() -> str:
    return _(
        "Nothing had happened in it for a while, so it was stopped. Its files are saved: "
        "it starts with them at your next press of Run."
    )


def made_room_words() -> str:
    return _(
        "It was quiet and others waited for a place, so it was stopped. Its files are saved: "
        "it starts with them at your next press of Run."
    )
