"""What an admin does from a lab host's command line, as plain data for people and machines.

Wishes go the way of the buttons: a row first. Then this very process carries them out if the lab
is of this host, so that no worker has to be up; otherwise its host's worker does.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from django.utils import timezone

from labs import checkpoints, doctor, fulfilment, keeper, lifecycle, reconcile
from labs.engine.base import EngineDown, EngineError
from labs.engines import get_engine
from labs.lab_requests import request_examination
from labs.models import Lab, Wish
from labs.requests import request_stop_lab
from labs.wish_words import words_of

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.2

Report = dict[str, Any]


def list_labs(*, state: str = "") -> list[Report]:
    """Every lab, or those in one state, the started ones first."""
    labs = Lab.objects.for_dashboard()
    return [_facts(lab) for lab in (labs.filter(state=state) if state else labs)]


def stop(lab: Lab, *, wait_s: float) -> Report:
    """Saves the files and removes the container. Raises EngineDown."""
    request_stop_lab(lab, actor=None)
    if _is_here(lab):
        _stop_here(lab)
    _wait(lambda: Lab.objects.filter(pk=lab.pk, state=Lab.State.ABSENT).exists(), wait_s)
    lab.refresh_from_db()
    return _facts(lab) | {"is_done": lab.state == Lab.State.ABSENT}


def _stop_here(lab: Lab) -> None:
    """A worker that heard of it as well may cut the line first: then it is waited for."""
    try:
        keeper.stop_lab(lab.pk)
    except EngineDown:
        raise
    except EngineError as error:
        logger.warning("lab %s: %s", lab.pk, error)


def carry_out(wish: Wish, *, wait_s: float) -> Report:
    """Does what was wished, here or by the worker of its host."""
    if _is_here(wish.lab):
        fulfilment.fulfil_wish(wish.pk)
    _wait(lambda: not Wish.objects.active().filter(pk=wish.pk).exists(), wait_s)
    wish.refresh_from_db()
    return {
        "owner": wish.lab.owner.get_username(),
        "wish": wish.kind,
        "state": wish.state,
        "outcome": wish.outcome,
        "words": words_of(wish.outcome),
        "is_done": wish.state == Wish.State.DONE,
    }


def examine(lab: Lab, *, wait_s: float) -> Report:
    """What is wrong, and the repairs that there are."""
    wish = request_examination(lab, actor=None)
    report = carry_out(wish, wait_s=wait_s)
    wish.refresh_from_db(fields=["facts"])
    found = doctor.find_troubles(doctor.read_facts(wish.facts)) if report["is_done"] else ()
    return report | {
        "findings": [
            {
                "code": finding.code,
                "title": str(finding.title),
                "words": str(finding.words),
                "repairs": [repair.kind for repair in finding.repairs],
            }
            for finding in found
        ]
    }


def reconcile_now() -> Report:
    """One round of this host's sweep. Raises EngineError where the engine does not answer."""
    host = lifecycle.this_host()
    lifecycle.want_sweep(host)
    host.refresh_from_db()
    reconcile.sweep_host(host)
    host.refresh_from_db()
    if host.engine_error:
        raise EngineError(host.engine_error)
    states = [lab.state for lab in host.labs.all()]
    return {
        "host": host.name,
        "labs": {state: states.count(state) for state in sorted(set(states))},
        "containers": len(get_engine().list_labs()),
    }


def collect_garbage() -> Report:
    """Lets go of old checkpoints, of bytes that nobody holds and of containers without a row."""
    before = len(get_engine().list_labs())
    report = reconcile_now()
    tidied = checkpoints.tidy(timezone.now())
    return {
        "host": report["host"],
        "checkpoints": tidied.checkpoints,
        "blobs": tidied.blobs,
        "containers": max(0, before - report["containers"]),
    }


def _facts(lab: Lab) -> Report:
    return {
        "owner": lab.owner.get_username(),
        "state": lab.state,
        "since": lab.state_since_at.isoformat(timespec="seconds"),
        "reason": lab.reason,
        "generation": lab.generation,
        "host": lab.host.name if lab.host else None,
        "image": lab.image,
        "is_saved": lab.unsaved_since_at is None,
    }


def _is_here(lab: Lab) -> bool:
    return lab.host_id is None or lab.host_id == lifecycle.this_host().pk


def _wait(is_over: Any, wait_s: float) -> None:
    give_up_at = time.monotonic() + wait_s
    while not is_over() and time.monotonic() < give_up_at:
        time.sleep(LOOK_EVERY_S)
