"""How many labs a host may hold at once, how many may start at once, who waits for a place or for
a start, and for how long. Reads only.

A lab's memory limit is what it takes. Runs are served in the order in which they were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from labs.engine.base import EngineDown, EngineError
from labs.models import Host, Lab, Run
from labs.models.runs import RunQuerySet

UNTOLD_BYTES = 2**62
"""Of a host whose worker has not reported its memory yet: then only labs are counted."""


class NotYet(EngineError):
    """The lab can't start now, but by itself later. The text is for its owner."""


class StartsTaken(NotYet):
    """As many labs are starting as may at once, or others come first: a matter of seconds."""


@dataclass(frozen=True)
class Capacity:
    """The most that one host may hold."""

    labs: int
    memory_bytes: int


def capacity_of(host: Host) -> Capacity:
    """As the admin has set it, else by the settings. Nothing on a host that is drained."""
    if host.is_draining:
        return Capacity(0, 0)
    share = settings.LAB_MEMORY_SHARE * (host.memory_bytes or UNTOLD_BYTES)
    return Capacity(
        labs=settings.LAB_MAX_STARTED if host.capacity_labs is None else host.capacity_labs,
        memory_bytes=int(share) if host.capacity_bytes is None else host.capacity_bytes,
    )


def count_free(capacity: Capacity, *, labs: int, memory_bytes: int, need_bytes: int) -> int:
    """How many more labs of `need_bytes` each go beside `labs` of `memory_bytes` together. Pure."""
    by_memory = (capacity.memory_bytes - memory_bytes) // max(1, need_bytes)
    return max(0, min(capacity.labs - labs, by_memory))


def free_places(host: Host, *, need_bytes: int) -> int:
    """One query."""
    started = host.labs.filter(state__in=Lab.STARTED)
    taken = started.aggregate(memory=Sum("memory_bytes"))["memory"] or 0
    return count_free(
        capacity_of(host), labs=started.count(), memory_bytes=taken, need_bytes=need_bytes
    )


def is_start_free(host: Host) -> bool:
    """Whether a try to start a lab is worth its while. One query."""
    return bool(host.engine_error) or free_starts(host) > 0


def free_starts(host: Host, *, besides: Lab | None = None) -> int:
    """How many more labs may begin to start: each takes an engine's attention until it is over.

    One query. A start that is broken off counts no more.
    """
    starting = host.labs.filter(state=Lab.State.STARTING, state_deadline_at__gte=timezone.now())
    if besides:
        starting = starting.exclude(pk=besides.pk)
    return max(0, int(settings.LAB_STARTS_AT_ONCE) - starting.count())


def waiting_runs(host: Host, *, first: int | None = None) -> Sequence[Run]:
    """Runs whose lab is to start on this host, or on any, the earliest first. All, or so many."""
    return list(_line(host).select_related("lab__host")[:first])


def _line(host: Host) -> RunQuerySet:
    is_due = Q(lab__retry_at=None) | Q(lab__retry_at__lte=timezone.now())
    startable = Run.objects.filter(
        is_due,
        Q(lab__host=host) | Q(lab__host=None),
        state=Run.State.QUEUED,
        stop_asked_at=None,
        lab__state__in=[Lab.State.ABSENT, Lab.State.FAILED],
    )
    return startable.order_by("queued_at", "pk")


def require_place(lab: Lab, host: Host, *, need_bytes: int) -> None:
    """Raises NotYet, with place and estimate in words, where others come first or all is full."""
    free = free_places(host, need_bytes=need_bytes)
    ahead = _count_ahead(lab, list(_line(host).values_list("lab_id", flat=True)))
    if ahead >= free:
        raise NotYet(_full_words(host, place=ahead - free + 1))


def _count_ahead(lab: Lab, waiting: Sequence[int]) -> int:
    """A lab that nobody has pressed Run for, as in a muster, waits behind all."""
    return waiting.index(lab.pk) if lab.pk in waiting else len(waiting)


def require_start(lab: Lab, host: Host, *, asked_at: datetime | None) -> None:
    """Raises StartsTaken where it isn't the turn of who asked then; None comes behind all runs.

    Where the engine is down nobody's turn comes: then that is what is raised.
    """
    earlier = _line(host).exclude(lab=lab)
    if asked_at:
        earlier = earlier.filter(queued_at__lt=asked_at)
    if earlier.count() < free_starts(host, besides=lab):
        return
    if host.engine_error:
        raise EngineDown(host.engine_error)
    raise StartsTaken(
        _(
            "As many labs are starting as may at once. "
            "This one starts by itself when it is its turn."
        )
    )


def _full_words(host: Host, *, place: int) -> str:
    if host.is_draining:
        return _(
            "The lab machine is being emptied for maintenance. "
            "Your run is kept and starts by itself when it may."
        )
    active_ats = host.labs.filter(state__in=Lab.STARTED).values_list("active_at", flat=True)
    wait_s = estimate_s(place, list(active_ats), timezone.now())
    return in_line_words(place, minutes=max(1, -(-int(wait_s) // 60)))


def in_line_words(place: int, *, minutes: int) -> str:
    """What somebody is told who waits for a place; `labs.stored_words` knows it again in a row."""
    return ngettext(
        "All places for labs are taken just now. You are number %(place)d in the line; it takes "
        "about %(minutes)d minute, less if somebody stops. Your run is kept and starts by itself.",
        "All places for labs are taken just now. You are number %(place)d in the line; it takes "
        "about %(minutes)d minutes, less if somebody stops. Your run is kept and starts by itself.",
        minutes,
    ) % {"place": place, "minutes": minutes}


def estimate_s(place: int, active_ats: Sequence[datetime], now: datetime) -> float:
    """Seconds until so many labs have been quiet long enough to go, if none is used. Pure."""
    quiet_s = settings.LAB_MAKE_ROOM_AFTER_S
    if not active_ats:
        return float(quiet_s)
    rounds, nth = divmod(place - 1, len(active_ats))
    free_at = sorted(active_ats)[nth] + timedelta(seconds=quiet_s * (rounds + 1))
    return max(0.0, (free_at - now).total_seconds())
