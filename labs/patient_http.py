"""The HTTP protocol of the one-process site: connections that ask and take nothing are closed.

The server itself waits for ever for a request's first line, and for a reader of what it has handed
to the network. A thousand such connections would leave no descriptor for anybody.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LOOK_EVERY_S = 15.0
SLOWEST_BYTES = 30 * 1024
"""In this time; who takes less is given up."""


class PatientProtocol(HttpToolsProtocol):
    """Looks now and then whether anything goes on. An answer under way is not its business."""

    look_every_s = LOOK_EVERY_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look_later(None, 0)

    def _look_later(self, cycle: Any, waiting_bytes: int) -> None:
        self._timer = self.loop.call_later(self.look_every_s, self._look, cycle, waiting_bytes)

    def _look(self, cycle: Any, waiting_bytes: int) -> None:
        """`cycle` is the request that was last asked when it looked before."""
        if self.transport.get_protocol() is not self:
            return  # a terminal's by now
        still = self.transport.get_write_buffer_size()
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self.cycle is cycle and still > waiting_bytes - SLOWEST_BYTES:
            self.transport.abort()
            return
        self._look_later(self.cycle, still)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)
