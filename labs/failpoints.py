"""Points at which a test may have this process killed, to see what comes of a run cut off there.

Inert in production: only a settings module of tests names a point (`LAB_FAILPOINT`), so that no
environment variable alone can arm one.
"""

from __future__ import annotations

import os
import signal
from itertools import count

from django.conf import settings

_ARMED, _, _times = getattr(settings, "LAB_FAILPOINT", "").partition(":")
_TIMES = int(_times or 1)
_SIGNAL = signal.Signals[getattr(settings, "LAB_FAILPOINT_SIGNAL", "SIGKILL")]
_reached = count(1)


def reach(point: str) -> None:
    """Nothing, unless this very point is armed: then this process is killed, or stopped.

    `chunk_stored:3` is armed for the third time that `chunk_stored` is reached.
    """
    if point == _ARMED and next(_reached) == _TIMES:
        os.kill(os.getpid(), _SIGNAL)
