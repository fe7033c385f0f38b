"""Who holds what: names of leases, and keeping one while something slow is done. No rows here.

Leases save work and no more: two workers that hold the same run do no harm.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import DatabaseError, connection

from labs import pooled

logger = logging.getLogger(__name__)

LEASE_S = 10
RENEW_EVERY_S = LEASE_S / 4
STATE, STARTED = 0, 19
"""Places in `/proc/PID/stat` behind the program's name (proc(5))."""


def new_name() -> str:
    """Unique to this very attempt: two attempts in one process must not pass for one."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_start_of(pid)}:{uuid.uuid4().hex[:8]}"


def is_known_dead(name: str) -> bool:
    """True where the holder was a process of this machine that lives no more.

    Of other machines nothing is known. A process is told from a later one with its id by when it
    began.
    """
    machine, pid, start, _ = name.rsplit(":", 3)
    return machine == socket.gethostname() and start != _start_of(int(pid))


def _start_of(pid: int) -> str:
    """In ticks since the machine started; empty where there is no such process, or its corpse."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[STATE] in "ZX" else fields[STARTED]


@contextmanager
def kept(renew: Callable[[], object]) -> Iterator[None]:
    """Calls `renew` every RENEW_EVERY_S from a thread of its own, until the block is left."""
    is_left = threading.Event()
    keeper = threading.Thread(target=_keep, args=(renew, is_left), name="lease", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        is_left.set()
        pooled.give_back()  # to the keeper, who may be waiting for one
        keeper.join()


def _keep(renew: Callable[[], object], is_left: threading.Event) -> None:
    try:
        while not is_left.wait(RENEW_EVERY_S):
            renew()
            pooled.give_back()
    except DatabaseError as error:
        logger.warning("a lease was not renewed: %s", error)
    finally:
        connection.close()
