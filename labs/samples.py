"""Measures what the labs of this host use, all in one pass. The only writer of samples."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError
from django.db.models import F
from django.utils import timezone

from labs.engine.base import EngineDown, EngineError
from labs.engine.usage import Usage
from labs.engines import get_engine
from labs.models import Host, Lab, Sample

logger = logging.getLogger(__name__)

PASS_S = 2.0
"""A pass that takes longer leaves the rest to the next one, which begins with them."""
FIELDS = (
    "generation",
    "at",
    "memory_bytes",
    "memory_limit_bytes",
    "cpu_percent",
    "pids",
    "pids_limit",
    "disk_bytes",
    "disk_limit_bytes",
)


@dataclass(frozen=True)
class _Reading:
    """Of a container's clock of processor time."""

    cpu_us: int
    at_s: float


_passing = threading.Lock()
_last: dict[str, _Reading] = {}
"""By container: what this process read last. Another process begins without."""


def sample_host(host: Host) -> None:
    """Measures every lab that is awake. One that sleeps uses what it used.

    A lab that hangs makes its pass slow: others then wait for the next one, and nothing else does.
    """
    if not _passing.acquire(blocking=False):
        return
    try:
        _pass(host)
    except EngineDown as error:
        logger.info("nothing was measured: %s", error)
    finally:
        _passing.release()


def _pass(host: Host) -> None:
    awake = host.labs.filter(state=Lab.State.READY).select_related("sample")
    labs = list(awake.order_by(F("sample__at").asc(nulls_first=True)))
    give_up_at = time.monotonic() + PASS_S
    samples = []
    for lab in labs:
        if time.monotonic() > give_up_at:
            break
        if sample := _measure(lab):
            samples.append(sample)
    _forget_all_but(lab.container_id for lab in labs)
    _store(samples)


def _store(samples: Sequence[Sample]) -> None:
    try:
        Sample.objects.bulk_create(
            samples, update_conflicts=True, unique_fields=["lab"], update_fields=FIELDS
        )
    except IntegrityError:  # an account was deleted meanwhile; the next pass goes without it
        logger.info("a lab is gone that was just measured")


def _measure(lab: Lab) -> Sample | None:
    """One lab's trouble is not the others'; that of the engine is."""
    try:
        usage = get_engine().link(lab.container_id).usage()
    except EngineDown:
        raise
    except EngineError as error:  # such as the supervisor of an older image
        logger.info("lab %s was not measured: %s", lab.pk, error)
        return None
    return Sample(
        lab=lab,
        generation=lab.generation,
        at=timezone.now(),
        memory_bytes=usage.memory_bytes,
        memory_limit_bytes=usage.memory_limit_bytes,
        cpu_percent=_cpu_percent(lab.container_id, usage, time.monotonic()),
        pids=usage.pids,
        pids_limit=usage.pids_limit,
        disk_bytes=usage.disk_bytes,
        disk_limit_bytes=usage.disk_limit_bytes,
    )


def _cpu_percent(container_id: str, usage: Usage, now_s: float) -> float | None:
    """Of one core since the last reading; None at the first."""
    if usage.cpu_us is None:
        return None
    before = _last.get(container_id)
    _last[container_id] = _Reading(usage.cpu_us, now_s)
    if before is None or now_s <= before.at_s:
        return None
    return max(0.0, (usage.cpu_us - before.cpu_us) / (now_s - before.at_s) / 1e4)


def _forget_all_but(container_ids: Iterable[str]) -> None:
    for gone in _last.keys() - set(container_ids):
        _last.pop(gone, None)
