"""Pages, which are WSGI, for an event loop: each has one of some threads until its answer is made.

A request has come whole (`config.whole_requests`), and nearly every answer is one piece, so each
crosses once to its thread and once back. Each crossing waits for other threads' Python.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

from a2wsgi.wsgi import build_environ

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Coroutine[Any, Any, None]]
Application = Callable[[Any, Callable[..., Any]], Iterable[bytes]]

THREADS = 10


class PagesInThreads:
    """An ASGI application that asks a WSGI one."""

    def __init__(self, application: Application, threads: int = THREADS) -> None:
        self._application = application
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="WSGI")

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        environ = build_environ(scope, BytesIO((await receive())["body"]))  # type: ignore[arg-type] # any file does
        loop, context = asyncio.get_running_loop(), contextvars.copy_context()

        def send_now(message: Message) -> None:
            asyncio.run_coroutine_threadsafe(send(message), loop).result()

        rest = await loop.run_in_executor(self._threads, context.run, self._ask, environ, send_now)
        for message in rest:
            await send(message)

    def _ask(self, environ: Any, send_now: Callable[[Message], None]) -> list[Message]:
        """What is left to be sent when the thread is free again: mostly the whole answer."""
        head: Message = {"type": "http.response.start"}

        def start_response(status: str, headers: Iterable[tuple[str, str]]) -> None:
            head["status"] = int(status.split(" ", 1)[0])
            head["headers"] = [_encoded(*header) for header in headers]

        response: Any = self._application(environ, start_response)
        try:
            if not response.streaming:
                return [head, _piece(b"".join(response), is_last=True)]
            send_now(head)
            for piece in response:
                send_now(_piece(piece))
            return [_piece(b"", is_last=True)]
        finally:
            response.close()


def _piece(body: bytes, *, is_last: bool = False) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": not is_last}


def _encoded(name: str, value: str) -> tuple[bytes, bytes]:
    return name.encode("latin1").lower(), value.encode("latin1")
