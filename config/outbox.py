"""Answers on their way to slow readers, who keep the threads of pages from nobody else.

What a reader takes at once goes straight through. Of the rest an answer may keep so much that every
page fits; a longer one, such as a zip, holds its thread. Only half of the threads may be held so:
where one more would be, the slowest reader's answer breaks off.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

AT_ONCE_S = 0.2
TAKEN_WITHIN_S = 30.0
"""For each piece, of which the server and the network hold some more."""
KEPT_BYTES = 4 * 1024 * 1024
MOST_HELD = 5


class Holders:
    """The answers of this process that hold a thread until their reader has taken some more."""

    def __init__(self, most: int = MOST_HELD) -> None:
        self._most = most
        self._held: set[Outbox] = set()

    def add(self, outbox: Outbox) -> None:
        self._held.add(outbox)
        if len(self._held) > self._most:
            min(self._held, key=Outbox.pace).break_off()

    def remove(self, outbox: Outbox) -> None:
        self._held.discard(outbox)


class Outbox:
    """One answer on its way to one reader."""

    def __init__(
        self,
        send: Send,
        holders: Holders,
        *,
        at_once_s: float = AT_ONCE_S,
        taken_within_s: float = TAKEN_WITHIN_S,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self._send = send
        self._holders = holders
        self._at_once_s, self._taken_within_s = at_once_s, taken_within_s
        self._kept_bytes = kept_bytes
        self._kept: deque[Message] = deque()
        self._bytes = self._taken_bytes = 0
        self._began_at = time.monotonic()
        self._has_room = asyncio.Event()
        self._is_broken_off = False
        self._carrier: asyncio.Task[None] | None = None

    async def take(self, message: Message) -> None:
        """Sends it, or keeps it where its reader isn't there for it; waits only for room."""
        if self._is_broken_off or (self._carrier is None and await self._is_sent(message)):
            return
        self._kept.append(message)
        self._bytes += _size_of(message)
        if self._carrier is None:
            self._carrier = asyncio.ensure_future(self._carry())
        if self._bytes > self._kept_bytes:
            await self._await_room()

    def pace(self) -> float:
        """Bytes a second that its reader has taken."""
        return self._taken_bytes / max(0.001, time.monotonic() - self._began_at)

    def break_off(self) -> None:
        """Its reader gets no more. What its page still says goes nowhere, and waits for nobody."""
        self._is_broken_off = True
        self._kept.clear()
        self._has_room.set()
        if self._carrier is not None:
            self._carrier.cancel()

    async def close(self) -> None:
        """Returns when its reader has it all, or has been given up."""
        try:
            if self._carrier is not None:
                await asyncio.wait({self._carrier})
        finally:
            self.break_off()

    async def _is_sent(self, message: Message) -> bool:
        """A server that is given up here has not begun with this message yet."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._at_once_s):
                await self._send(message)
                self._taken_bytes += _size_of(message)
                return True
        return False

    async def _await_room(self) -> None:
        self._has_room.clear()
        self._holders.add(self)
        try:
            await self._has_room.wait()
        finally:
            self._holders.remove(self)

    async def _carry(self) -> None:
        """What is kept, piece by piece, until nothing is."""
        try:
            while self._kept:
                async with asyncio.timeout(self._taken_within_s):
                    await self._send(self._kept[0])
                self._note_taken(self._kept.popleft())
        except (TimeoutError, OSError):
            self.break_off()
        finally:
            self._carrier = None

    def _note_taken(self, message: Message) -> None:
        self._taken_bytes += _size_of(message)
        self._bytes -= _size_of(message)
        if self._bytes <= self._kept_bytes:
            self._has_room.set()


def _size_of(message: Message) -> int:
    return len(message.get("body", b""))
