"""Kombu's memory transport, woken by each message instead of looking every so often.

A message reaches the worker's thread at once, and an idle worker costs nothing.
"""

from __future__ import annotations

import threading
import time
from queue import Empty
from typing import Any

from kombu.transport import memory

LOOK_EVERY_S = 1.0
_arrival = threading.Condition()
_arrived = 0


class Channel(memory.Channel):
    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        global _arrived  # kombu's memory queues are global to the process too
        super()._put(queue, message, **kwargs)
        with _arrival:
            _arrived += 1
            _arrival.notify_all()


class Transport(memory.Transport):
    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """Delivers one message. Raises TimeoutError when none came in time."""
        give_up_at = time.monotonic() + (LOOK_EVERY_S if timeout is None else timeout)
        while True:
            seen = _arrived
            try:
                self.cycle.get(self._deliver, timeout=timeout)  # type: ignore[union-attr] # made in __init__
                return
            except Empty:
                rest_s = give_up_at - time.monotonic()
                if rest_s <= 0:
                    raise TimeoutError from None
                _await_message(seen, min(rest_s, LOOK_EVERY_S))


def _await_message(seen: int, wait_s: float) -> None:
    with _arrival:
        _arrival.wait_for(lambda: _arrived != seen, wait_s)
