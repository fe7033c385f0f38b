"""How many streams one person may have open: a page has one, and some people have many pages."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager

MOST_STREAMS = 24
"""Of one person. What a browser itself opens at once is six for each site, over HTTP/2 more."""


class Place:
    """One stream's. It is lost to the person's own newer streams, the oldest first."""

    is_lost = False


_taken: defaultdict[object, deque[Place]] = defaultdict(deque)


@contextmanager
def take_place(person: object) -> Iterator[Place]:
    """For one event loop: nothing here waits."""
    mine, place = _taken[person], Place()
    mine.append(place)
    if len(mine) > MOST_STREAMS:
        mine.popleft().is_lost = True
    try:
        yield place
    finally:
        if not place.is_lost:
            mine.remove(place)
        if not mine:
            _taken.pop(person, None)
