"""The only writer of wishes. Each move of a wish is one conditional UPDATE.

    queued → working → done | refused

A wish is held by a lease, as a run is: whoever comes after a dead worker carries on.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from labs.leases import LEASE_S, is_known_dead
from labs.models import Checkpoint, Host, Lab, Wish
from labs.refusal import Refused
from labs.wish_words import Outcome

DEADLINE_S = 180
SAVE_DEADLINE_S = 30
"""Somebody waits for it with a hand-in: then the files as they were last saved have to do."""


def create_wish(*, lab: Lab, actor: Any, kind: str, **fields: Any) -> Wish:
    """A new queued wish. Raises Refused while another change of this lab is not over."""
    patience_s = SAVE_DEADLINE_S if kind == Wish.Kind.SAVE else DEADLINE_S
    deadline_at = timezone.now() + timedelta(seconds=patience_s)
    try:
        with transaction.atomic():
            return Wish.objects.create(
                lab=lab, actor=actor, kind=kind, deadline_at=deadline_at, **fields
            )
    except IntegrityError as error:
        raise Refused(
            _(
                "Your lab is just being changed by the button you pressed before. "
                "Nothing more was done. Wait until that is over, then press again."
            )
        ) from error


def create_done(*, lab: Lab, actor: Any, kind: str, **fields: Any) -> Wish:
    """A wish that was met by the time it was written."""
    now = timezone.now()
    return Wish.objects.create(
        lab=lab,
        actor=actor,
        kind=kind,
        state=Wish.State.DONE,
        deadline_at=now,
        over_at=now,
        **fields,
    )


def find_free(pk: int) -> Wish | None:
    """The wish with its lab; None when it is over or somebody holds it."""
    rows = Wish.objects.select_related("lab__host", "lab__owner", "target", "before", "actor")
    return rows.nobody_holds(timezone.now()).filter(pk=pk).first()


def take_lease(wish: Wish, *, worker: str) -> bool:
    now = timezone.now()
    free = Wish.objects.filter(pk=wish.pk).nobody_holds(now)
    until = now + timedelta(seconds=LEASE_S)
    moved = free.update(state=Wish.State.WORKING, lease_owner=worker, lease_until_at=until)
    if moved:
        wish.refresh_from_db(fields=["state", "lease_owner", "lease_until_at"])
    return bool(moved)


def renew_lease(wish: Wish) -> bool:
    until = timezone.now() + timedelta(seconds=LEASE_S)
    return bool(_held(wish).update(lease_until_at=until))


def release_lease(wish: Wish, *, why: str) -> None:
    """Lets go of a wish that can't be met just now; `why` shows on its page."""
    _held(wish).update(lease_owner="", lease_until_at=None, outcome=why)


def note_before(wish: Wish, *, before: Checkpoint | None) -> bool:
    """Writes down what Undo brings back, and in which container it was. Once: the first stays."""
    fields = {"before": before, "generation": wish.lab.generation}
    unmoved = _held(wish).filter(generation=None, lab__generation=wish.lab.generation)
    if not unmoved.update(**fields):
        return False
    wish.before, wish.generation = before, wish.lab.generation
    return True


def note_facts(wish: Wish, facts: dict[str, Any]) -> None:
    _held(wish).update(facts=facts)


def finish(wish: Wish, *, outcome: str, result: Checkpoint | None = None) -> bool:
    return _end(wish, Wish.State.DONE, outcome=outcome, result=result)


def refuse(wish: Wish, *, outcome: str, result: Checkpoint | None = None) -> bool:
    return _end(wish, Wish.State.REFUSED, outcome=outcome, result=result)


def find_under_way(lab: Lab, kind: str) -> Wish | None:
    """The wish of this kind that a worker is carrying out, once the files before it are saved."""
    working = Wish.objects.filter(lab=lab, kind=kind, state=Wish.State.WORKING)
    return working.exclude(generation=None).select_related("target").first()


def free_dead_leases(host: Host) -> None:
    """Frees the wishes of workers that are known to be dead, without waiting for their leases."""
    for wish in of_host(host).exclude(lease_owner=""):
        if is_known_dead(wish.lease_owner):
            _held(wish).update(lease_owner="", lease_until_at=None)


def of_host(host: Host) -> Any:
    """Active wishes of this host's labs, and of those that have no host yet."""
    ours = Q(lab__host=host) | Q(lab__host=None)
    return Wish.objects.active().filter(ours).select_related("lab__host")


def waiting_for_start(host: Host) -> Any:
    """Those that wait for their lab's turn to start, the earliest first."""
    return of_host(host).filter(outcome=Outcome.IN_LINE).order_by("asked_at", "pk")


def _end(wish: Wish, state: str, **fields: Any) -> bool:
    ended = {"lease_owner": "", "lease_until_at": None, "over_at": timezone.now()}
    moved = _held(wish).update(state=state, **ended, **fields)
    wish.refresh_from_db()
    return bool(moved)


def _held(wish: Wish) -> Any:
    return Wish.objects.filter(pk=wish.pk, lease_owner=wish.lease_owner).active()
