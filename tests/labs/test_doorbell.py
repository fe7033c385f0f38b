"""A ring reaches whoever listens, from any thread, and a lost one costs only the wait."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from labs import doorbell

pytestmark = pytest.mark.core
FAR_TOO_LONG_S = 120


def listen_while(ringer, *, timeout_s=FAR_TOO_LONG_S):
    """Seconds from the moment somebody listens until the wait returns."""

    async def scene():
        async with doorbell.listen("run 1") as wait:
            thread = threading.Thread(target=ringer)
            started = time.monotonic()
            thread.start()
            await wait(timeout_s)
            thread.join()
            return time.monotonic() - started

    return asyncio.run(scene())


def test_a_ring_from_a_workers_thread_wakes_the_event_loop():
    assert listen_while(lambda: doorbell.ring("run 1")) < FAR_TOO_LONG_S / 2


def test_another_runs_ring_wakes_nobody():
    assert listen_while(lambda: doorbell.ring("run 2"), timeout_s=0.2) >= 0.2


def test_a_ring_that_nobody_hears_harms_nobody():
    doorbell.ring("run 3")


def test_a_ring_before_the_wait_is_not_lost():
    async def scene():
        async with doorbell.listen("run 1") as wait:
            doorbell.ring("run 1")
            started = time.monotonic()
            await wait(FAR_TOO_LONG_S)
            return time.monotonic() - started

    assert asyncio.run(scene()) < FAR_TOO_LONG_S / 2
