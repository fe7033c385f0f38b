"""Pages get a request once it is there whole, and never wait for who takes no answer.

A page holds one of few threads. Without this, ten connections that send half a form and nothing
more would stop the site for everybody. A proxy in front of the pages does the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from config.outbox import TAKEN_WITHIN_S, Holders, Outbox

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]

MOST_BYTES = 4 * 1024 * 1024
"""Of a form with its files: the largest that any page takes is far below."""
BODY_S = 20.0
TOO_SLOW, TOO_LARGE = 408, 413


def in_whole(
    pages: Application, *, body_s: float = BODY_S, taken_within_s: float = TAKEN_WITHIN_S
) -> Application:
    """The same pages, asked when the request's body has come."""
    holders = Holders()

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(body_s):
                body = await _read(receive)
        except TimeoutError:
            await _refuse(send, TOO_SLOW)
            return
        if body is None:
            return
        if len(body) > MOST_BYTES:
            await _refuse(send, TOO_LARGE)
            return
        outbox = Outbox(send, holders, taken_within_s=taken_within_s)
        try:
            await pages(scope, _again(body), outbox.take)
        finally:
            await outbox.close()

    return application


async def _read(receive: Receive) -> bytes | None:
    """The body, or as much of it as shows that it is too large; None where its sender left."""
    body = bytearray()
    while len(body) <= MOST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body)


def _again(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _refuse(send: Send, status: int) -> None:
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
