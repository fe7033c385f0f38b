"""One reader of a terminal over one connection: somebody who looks, or a recorder."""

from __future__ import annotations

from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from connection import Connection
    from loop import Loop
    from terminal import Terminal

PIECE_BYTES = 16 * 1024
ECHO_BYTES = 1024
FLOOD_PACE_S = 0.03


class Look:
    """Sends what the terminal shows from `offset` on, never more than it was given credit for.

    What is short, such as the echo of a key, goes at once; a flood goes in larger pieces. A
    recorder (`pace_s`) gets its pieces by the moments at which they came, and sets no pace.
    """

    def __init__(
        self,
        loop: Loop,
        connection: Connection,
        request: int,
        terminal: Terminal,
        credit: int,
        pace_s: float,
    ) -> None:
        self.terminal = terminal
        self.is_over = False
        self._loop = loop
        self._connection = connection
        self._request = request
        self._credit = credit
        self._pace_s = pace_s
        self._offset = 0
        self._not_before = 0.0

    def begin(self, offset: int) -> None:
        ring = self.terminal.ring
        self._offset = min(offset, ring.end)
        self._connection.when_closed.add(self.end)
        self._connection.when_drained.add(self._drained)
        self.terminal.readers.add(self.pump)
        facts = {"start": ring.start, "end": ring.end}
        self._connection.send(self._request, "attached", **facts)
        if not self._pace_s:
            self.terminal.look(self.has_room)
        self.pump()

    def has_room(self) -> bool:
        """Whether the terminal may show more: what waits here is promised already."""
        waiting = self.terminal.ring.end - self._offset
        return self._credit > waiting and not self._connection.is_full

    def _can_send(self) -> bool:
        return self._credit > 0 and not self._connection.is_full

    def give(self, credit: int) -> None:
        self._credit += credit
        self.pump()
        self.terminal.go_on()

    def pump(self) -> None:
        """Sends what there is, now or in a moment."""
        waiting = self.terminal.ring.end - self._offset
        is_small = waiting <= ECHO_BYTES and not self._pace_s
        now = monotonic()
        if now < self._not_before and not is_small and not self.terminal.over:
            self._loop.call_at(self, self._not_before, self.pump)
            return
        self._not_before = now + (self._pace_s or FLOOD_PACE_S)
        while self._offset < self.terminal.ring.end and self._can_send():
            self._send_piece()
        if self.terminal.over and self._offset >= self.terminal.ring.end:
            facts = {"reason": self.terminal.over, "exit_code": self.terminal.exit_code}
            self._connection.send(self._request, "over", **facts)
            self.end()

    def _send_piece(self) -> None:
        ring = self.terminal.ring
        if self._offset < ring.start:
            self._skip()
        limit = min(PIECE_BYTES, self._credit)
        at_ms = 0
        if self._pace_s:
            data, at_ms = ring.read_noted(self._offset, limit)
        else:
            data = ring.read(self._offset, limit)
        self._credit -= len(data)
        begin, self._offset = self._offset, self._offset + len(data)
        self._connection.send(self._request, "shown", data, offset=begin, at_ms=at_ms)

    def _skip(self) -> None:
        """What fell out of the ring is gone: the screen begins anew with what is left."""
        ring = self.terminal.ring
        self._offset = ring.start
        preamble = b"" if self._pace_s else ring.preamble()
        self._connection.send(self._request, "skipped", preamble, offset=ring.start)
        if ring.is_full_screen() and not self._pace_s:
            self.terminal.redraw()

    def _drained(self) -> None:
        if self._offset < self.terminal.ring.end:
            self._loop.call_at(self, 0.0, self._resume)

    def _resume(self) -> None:
        self.pump()
        self.terminal.go_on()

    def end(self) -> None:
        self.is_over = True
        self._loop.cancel(self)
        self._connection.when_closed.discard(self.end)
        self._connection.when_drained.discard(self._drained)
        self.terminal.readers.discard(self.pump)
        self.terminal.look_away(self.has_room)
