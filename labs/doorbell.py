"""Tells waiting streams that a run's rows have changed. Rows are the truth: a ring that is lost
costs a stream one second, since it looks by itself that often.

Within one process a ring crosses from a worker's thread to the event loop; between processes it
goes over Redis (`CHANNEL_REDIS_URL`). A channel layer would open a connection per ring here.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from typing import Any

import redis
import redis.asyncio
from django.conf import settings
from redis.asyncio.client import PubSub

logger = logging.getLogger(__name__)

Waiter = tuple[asyncio.AbstractEventLoop, asyncio.Event]
Wait = Callable[[float], Awaitable[None]]

SUBSCRIBE_S = 2.0

_lock = threading.Lock()
_waiters: dict[str, set[Waiter]] = defaultdict(set)


def ring(topic: str) -> None:
    """Wakes whoever listens to `topic`, in this process and in others. Never raises."""
    with _lock:
        waiters = list(_waiters.get(topic, ()))
    for loop, event in waiters:
        loop.call_soon_threadsafe(event.set)
    if settings.CHANNEL_REDIS_URL:
        _publish(topic)


def listen(topic: str) -> Any:
    """An async context that gives `wait(timeout_s)`: returns at a ring or when time is up."""
    return _listen_over_redis(topic) if settings.CHANNEL_REDIS_URL else _listen_here(topic)


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


async def _wait_and_clear(event: asyncio.Event, timeout_s: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), timeout_s)
    except TimeoutError:
        return
    event.clear()


@asynccontextmanager
async def _listen_over_redis(topic: str) -> AsyncIterator[Wait]:
    client = redis.asyncio.Redis.from_url(settings.CHANNEL_REDIS_URL, socket_timeout=None)
    async with client, client.pubsub(ignore_subscribe_messages=True) as pubsub:
        wait = partial(_wait_for_message, pubsub, _channel(topic))
        await wait(SUBSCRIBE_S)  # for the confirmation: from here on we hear
        yield wait


async def _wait_for_message(pubsub: PubSub, channel: str, timeout_s: float) -> None:
    """Without Redis the time is waited out: who listens looks by itself then."""
    try:
        if not pubsub.subscribed:
            await pubsub.subscribe(channel)
        await pubsub.get_message(timeout=timeout_s)
    except redis.RedisError:
        await asyncio.sleep(timeout_s)


def _publish(topic: str) -> None:
    try:
        _client().publish(_channel(topic), b"")
    except redis.RedisError as error:
        logger.info("no ring for %s: %s", topic, error)  # one for each piece of output


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.CHANNEL_REDIS_URL, socket_timeout=2)


def _channel(topic: str) -> str:
    return f"agent-lab:{topic}"
