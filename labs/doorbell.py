"""Tells waiting streams that a run's rows have changed. Rows are the truth: a ring that is lost
costs a stream one second, since it looks by itself that often.

Within one process a ring crosses from a worker's thread to the event loop; between processes it
goes over Redis (`CHANNEL_REDIS_URL`). A channel layer would open a connection per ring here.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings

logger = logging.getLogger(__name__)

Waiter = tuple[asyncio.AbstractEventLoop, asyncio.Event]
Wait = Callable[[float], Awaitable[bool]]

SUBSCRIBE_S = 2.0
TRY_AGAIN_S = 1.0

_lock = threading.Lock()
_try_again_at = 0.0
_waiters: dict[str, set[Waiter]] = defaultdict(set)
_ears: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[asyncio.Task[None], asyncio.Event]] = (
    WeakKeyDictionary()
)


def ring(topic: str) -> None:
    """Wakes whoever listens to `topic`, in this process and in others. Never raises."""
    _ring_here(topic)
    if settings.CHANNEL_REDIS_URL:
        _publish(topic)


def _ring_here(topic: str) -> None:
    with _lock:
        waiters = list(_waiters.get(topic, ()))
    for loop, event in waiters:
        loop.call_soon_threadsafe(event.set)


@asynccontextmanager
async def listen(topic: str) -> AsyncIterator[Wait]:
    """Gives `wait(timeout_s)`: True at a ring since the last one, False when time is up."""
    async with _listen_here(topic) as wait:
        if settings.CHANNEL_REDIS_URL:
            await _hear_other_processes()
        yield wait


@asynccontextmanager
async def _listen_here(topic: str) -> AsyncIterator[Wait]:
    event = asyncio.Event()
    waiter = (asyncio.get_running_loop(), event)
    with _lock:
        _waiters[topic].add(waiter)
    try:
        yield lambda timeout_s: _wait_and_clear(event, timeout_s)
    finally:
        with _lock:
            _waiters[topic].discard(waiter)
            if not _waiters[topic]:
                del _waiters[topic]


async def _wait_and_clear(event: asyncio.Event, timeout_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), timeout_s)
    except TimeoutError:
        return False
    event.clear()
    return True


async def _hear_other_processes() -> None:
    """One subscription serves every listener of an event loop; returns once it stands."""
    loop = asyncio.get_running_loop()
    if loop not in _ears:
        is_open = asyncio.Event()
        _ears[loop] = (asyncio.ensure_future(_pass_on_rings(is_open)), is_open)
    with suppress(TimeoutError):  # without Redis, who listens looks by itself
        await asyncio.wait_for(_ears[loop][1].wait(), SUBSCRIBE_S)


async def _pass_on_rings(is_open: asyncio.Event) -> None:
    while True:
        try:
            await _pass_on_until_cut(is_open)
        except redis.RedisError as error:
            logger.info("no rings from other processes: %s", error)
            is_open.set()  # nobody is to wait for it
        await asyncio.sleep(TRY_AGAIN_S)


async def _pass_on_until_cut(is_open: asyncio.Event) -> None:
    client = redis.asyncio.Redis.from_url(
        settings.CHANNEL_REDIS_URL, socket_timeout=None, socket_connect_timeout=SUBSCRIBE_S
    )
    async with client, client.pubsub() as pubsub:
        await pubsub.psubscribe(_channel("*"))
        async for message in pubsub.listen():
            is_open.set()
            if message["type"] == "pmessage":
                _ring_here(message["channel"].decode().removeprefix(_channel("")))


def _publish(topic: str) -> None:
    """A Redis that hangs costs its time-out once, not for each piece of output."""
    global _try_again_at
    if time.monotonic() < _try_again_at:
        return
    try:
        _client().publish(_channel(topic), b"")
    except redis.RedisError as error:
        _try_again_at = time.monotonic() + TRY_AGAIN_S
        logger.info("no ring for %s: %s", topic, error)


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.CHANNEL_REDIS_URL, socket_timeout=2)


def _channel(topic: str) -> str:
    return f"agent-lab:{topic}"
