"""One browser at one terminal: what it is shown, what it types, what it is told.

Bytes go both ways as they are; words (size, who watches, the end) go as JSON texts.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from labs.engine.frames import Frame, Pairs

if TYPE_CHECKING:
    from labs.terminal_hub import Hub

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

WINDOW_BYTES = 64 * 1024
MOST_AHEAD_BYTES = 4 * WINDOW_BYTES
CREDIT_BYTES = 16 * 1024
KEY_BYTES = 32
"""One key, however long its sequence: more is a paste, which waits until it is taken."""
KEYS_AHEAD_BYTES = 32 * 1024
KEYS_PIECE_BYTES = 8 * 1024
PASTE_BYTES = 2 * 1024 * 1024
WORDS_AHEAD = 500
"""Words that a browser has not taken: one that asks and never reads has to go."""
INTERRUPT = b"\x03"


class Seat:
    """Holds little: output waits in the lab until this browser has taken what came before."""

    def __init__(self, hub: Hub, send: Send, *, user: Any, is_owner: bool) -> None:
        self.user = user
        self.is_owner = is_owner
        self.may_type = is_owner
        self.close_code = 0
        self.has_left = asyncio.Event()
        self._hub = hub
        self._send = send
        self._out: deque[bytes | Mapping[str, object]] = deque()
        self._words_ahead = self._bytes_ahead = 0
        self._wake = asyncio.Event()
        self._look = 0
        self._owed = 0
        self._keys = bytearray()
        self._keys_ahead = 0

    # What it is shown

    def begin(self, offset: int) -> None:
        """Looks at the terminal from `offset` on: what this browser doesn't have yet."""
        pairs: Pairs = [*self._hub.name, ("offset", offset), ("credit", WINDOW_BYTES)]
        self._look = self._hub.line.begin("look", pairs, on_frame=self._take)

    def _take(self, frame: Frame | None) -> None:
        if frame is None:
            self.leave(self._hub.CUT_OFF)
        elif frame.word == "shown":
            self._show(frame.body)
        elif frame.word == "attached":
            facts = {"start": frame.number("start"), "end": frame.number("end")}
            self.tell({"attached": facts})
        elif frame.word == "skipped":
            fresh = frame.body[:WINDOW_BYTES].decode("ascii", "replace")
            self.tell({"skipped": {"offset": frame.number("offset"), "fresh": fresh}})
        elif frame.word == "over":
            self._hub.shell_is_over(frame)
        else:
            self.leave(self._hub.CUT_OFF)

    def _show(self, data: bytes) -> None:
        """A lab that sends far more than it was given credit for isn't listened to any more."""
        self._bytes_ahead += len(data)
        if self._bytes_ahead > MOST_AHEAD_BYTES:
            self._hub.line.close()
            return
        self._out.append(data)
        self._wake.set()

    def tell(self, words: Mapping[str, object]) -> None:
        if self._words_ahead >= WORDS_AHEAD:
            self.leave(self._hub.CUT_OFF)
            return
        self._words_ahead += 1
        self._out.append(words)
        self._wake.set()

    def leave(self, code: int) -> None:
        """Its browser is told what there still is to tell, and then why it has to go."""
        self.may_type = False
        if not self.has_left.is_set():
            self.close_code = code
            self.has_left.set()
            self._wake.set()

    async def send_all(self) -> None:
        """Until it has left. A browser that takes nothing is waited for, and nothing piles up."""
        while not self.has_left.is_set() or self._out:
            await self._wake.wait()
            self._wake.clear()
            while self._out:
                await self._send_next()

    async def _send_next(self) -> None:
        first = self._out.popleft()
        if not isinstance(first, bytes):
            self._words_ahead -= 1
            await self._send({"type": "websocket.send", "text": json.dumps(first)})
            return
        pieces = [first]
        while self._out and isinstance(self._out[0], bytes):
            piece = self._out.popleft()
            assert isinstance(piece, bytes)  # noqa: S101  for the type checker
            pieces.append(piece)
        data = b"".join(pieces)
        await self._send({"type": "websocket.send", "bytes": data})
        self._bytes_ahead -= len(data)
        self._give_credit(len(data))

    def _give_credit(self, taken: int) -> None:
        """In larger pieces: a credit for each key would double the frames."""
        self._owed += taken
        if self._owed >= CREDIT_BYTES:
            self._hub.line.send(0, "credit", [("look", self._look), ("bytes", self._owed)])
            self._owed = 0

    # What it types

    def type(self, data: bytes) -> None:
        if not self.may_type:
            return
        self._hub.note_typing()
        if data == INTERRUPT:  # takes back what was pasted and has not arrived
            self._keys.clear()
            self._send_keys(data)
            return
        if not self._keys and len(data) <= KEY_BYTES:
            self._hub.line.send(0, "keys", self._hub.name, data)  # nobody waits for its answer
            return
        if len(self._keys) + len(data) > PASTE_BYTES:
            self.tell({"say": _("That was too much at once. The rest of it was not typed.")})
            return
        self._keys += data
        self._pump_keys()

    def _pump_keys(self) -> None:
        while self._keys and self._keys_ahead < KEYS_AHEAD_BYTES:
            piece = bytes(self._keys[:KEYS_PIECE_BYTES])
            del self._keys[:KEYS_PIECE_BYTES]
            self._send_keys(piece)

    def _send_keys(self, piece: bytes) -> None:
        self._keys_ahead += len(piece)
        line = self._hub.line

        def taken(frame: Frame | None) -> None:
            line.end(number)
            self._keys_ahead -= len(piece)
            if frame is not None:
                self._pump_keys()

        number = line.begin("keys", self._hub.name, piece, on_frame=taken)

    # Its end

    def end(self) -> None:
        self._hub.line.end(self._look)
        self._hub.line.send(0, "away", [("look", self._look)])
