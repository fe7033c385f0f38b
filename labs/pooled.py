"""Lends out the few connections of a worker's process, where `DATABASE_POOL` bounds them."""

from __future__ import annotations

from django.conf import settings
from django.db import connection


def give_back() -> None:
    """Called by a thread before it waits for something other than rows; the next statement takes
    a connection again. Without a pool it keeps its own, since a new one would cost milliseconds.
    """
    if settings.DATABASE_POOL and not connection.in_atomic_block:
        connection.close()
