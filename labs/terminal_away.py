"""What a process without an engine says to somebody who looks for a terminal: not here."""

from __future__ import annotations

from typing import Any


async def application(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.close", "code": 4404})
