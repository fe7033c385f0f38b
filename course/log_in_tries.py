"""How often a name may be tried at log-in. The only writer of these tries.

Counted by name and place. A place is a network, or a browser in which that name was logged in
before: so who guesses at a classmate's name makes only browsers wait that never knew it. The wait
grows to a minute and no further, since whoever guesses makes others wait, too.
"""

from __future__ import annotations

import math
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from course.models import LogInTries

FREE = 5
FIRST_WAIT_S, LONGEST_WAIT_S = 15, 60
FORGOTTEN_AFTER = timedelta(hours=1)


def take_try(name: str, place: str) -> bool:
    """Whether one may be made now. It counts as wrong until `forget_tries`: tries that are sent
    together are counted one by one."""
    now = timezone.now()
    LogInTries.objects.filter(next_at__lt=now - FORGOTTEN_AFTER).delete()
    tries, _is_new = LogInTries.objects.get_or_create(
        name=name, place=place, defaults={"next_at": now}
    )
    number = tries.number + 1
    mine = LogInTries.objects.filter(pk=tries.pk, number=tries.number, next_at__lte=now)
    return mine.update(number=F("number") + 1, next_at=now + wait_after(number)) == 1


def wait_after(number: int) -> timedelta:
    """How long the next try has to wait after so many wrong ones."""
    if number < FREE:
        return timedelta()
    doublings = min(number - FREE, 10)
    return timedelta(seconds=min(FIRST_WAIT_S * 2**doublings, LONGEST_WAIT_S))


def wait_s(name: str, place: str) -> int:
    """How long it still is, in whole seconds; 0 where a try may be made."""
    tries = LogInTries.objects.filter(name=name, place=place).first()
    left = (tries.next_at - timezone.now()).total_seconds() if tries else 0
    return max(0, math.ceil(left))


def forget_tries(name: str, place: str = "") -> int:
    """How many counts were dropped: that of the place, or all of the name's."""
    counts = LogInTries.objects.filter(name=name)
    return (counts.filter(place=place) if place else counts).delete()[0]
