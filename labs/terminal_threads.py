"""Threads in which the terminals' gateway reads rows and starts labs, so that no key waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connections

from labs import pooled

P = ParamSpec("P")
R = TypeVar("R")

ROWS = 4
STARTS = 8
_rows = ThreadPoolExecutor(ROWS, thread_name_prefix="terminal-rows")
_starts = ThreadPoolExecutor(STARTS, thread_name_prefix="terminal-starts")


async def with_rows(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """For what takes milliseconds."""
    return await _in(_rows, function, *args, **kwargs)


async def with_engine(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """For what may take as long as the start of a lab."""
    return await _in(_starts, function, *args, **kwargs)


async def _in(
    pool: ThreadPoolExecutor, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    def call() -> R:
        close_old_connections()
        try:
            return function(*args, **kwargs)
        finally:
            pooled.give_back()

    return await asyncio.get_running_loop().run_in_executor(pool, call)


def close_threads() -> None:
    """Closes the threads' lines to the database; they open new ones when they need them."""
    for pool, size in ((_rows, ROWS), (_starts, STARTS)):
        together = threading.Barrier(size)

        def close(together: threading.Barrier = together) -> None:
            together.wait(timeout=10)
            connections.close_all()

        for closing in [pool.submit(close) for _ in range(size)]:
            closing.result()
