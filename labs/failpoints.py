"""Points at which a test may have this process killed, to see what comes of a run cut off there.

Inert in production: only a settings module of tests arms a point (`LAB_FAILPOINTS`), so that no
environment variable alone can.
"""

from __future__ import annotations

import signal
import threading
from itertools import count

from django.conf import settings


class Failpoint:
    """Sends this process a signal when it is reached for the nth time, and only then."""

    def __init__(self, times: str = "1", signal_name: str = "SIGKILL") -> None:
        self._times = int(times)
        self._signal = signal.Signals[signal_name]
        self._reached = count(1)

    def reach(self) -> None:
        if next(self._reached) == self._times:
            # To this thread: the process's own signal would let it run on for a moment.
            signal.pthread_kill(threading.get_ident(), self._signal)


def _read(spec: str) -> tuple[str, Failpoint]:
    """`point`, `point:times` or `point:times:SIGNAL`."""
    point, *rest = spec.split(":")
    return point, Failpoint(*rest)


_ARMED = dict(_read(spec) for spec in getattr(settings, "LAB_FAILPOINTS", ()))


def reach(point: str) -> None:
    """Nothing, unless this very point is armed: then this process may be killed or stopped."""
    if point in _ARMED:
        _ARMED[point].reach()
