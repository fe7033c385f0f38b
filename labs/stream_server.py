"""Serves streams over ASGI, and nothing else: Django's own handler and middleware would cost more
than the stream itself, since each of their steps is a hop between threads.

A view of a stream is asked with a request that knows its session and user, answers with a
StreamingHttpResponse, and may raise Http404.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from contextlib import aclosing, suppress
from io import BytesIO
from typing import Any, cast

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import resolve

from labs import server_errors

Message = MutableMapping[str, Any]
TAKEN_WITHIN_S = 60.0
"""For each piece: who doesn't take one, though it was handed to the network, has gone."""
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def _no_page(request: object) -> HttpResponse:
    raise TypeError("only what these do to a request is wanted")


WHO_ASKS = (SessionMiddleware(_no_page), AuthenticationMiddleware(_no_page))
"""Lazy: the session and the user are read where a view asks for them."""


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Answers one request; ends early when its reader has gone."""
    answer = asyncio.ensure_future(_answer(scope, _in_time(send)))
    gone = asyncio.ensure_future(_await_disconnect(receive))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            with suppress(_TakesNothing):
                await _result_of(answer)
    finally:
        for task in (answer, gone):
            task.cancel()
        await asyncio.gather(answer, gone, return_exceptions=True)


async def _result_of(answer: asyncio.Future[None]) -> None:
    """A failure goes on to the server, which answers 500, and counts as a page's does."""
    try:
        answer.result()
    except _TakesNothing:
        raise
    except Exception:
        await asyncio.to_thread(server_errors.note_from_thread, "streams", 500)
        raise


async def _answer(scope: Message, send: Send) -> None:
    request = ASGIRequest(scope, BytesIO())
    for middleware in WHO_ASKS:
        middleware.process_request(request)
    response = await _ask_view(request)
    if isinstance(response, StreamingHttpResponse):
        pieces = cast("AsyncGenerator[bytes]", response.streaming_content)
        async with aclosing(pieces):
            # Begun before anything is sent, so that it ends in order whoever goes away.
            first = await anext(pieces)
            await _send_head(response, send)
            await send({"type": "http.response.body", "body": first, "more_body": True})
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    else:
        await _send_head(response, send)
    await send({"type": "http.response.body", "body": b""})


class _TakesNothing(Exception):
    """A reader who is still there, and for whom nothing more can be sent."""


def _in_time(send: Send) -> Send:
    async def send_in_time(message: Message) -> None:
        try:
            async with asyncio.timeout(TAKEN_WITHIN_S):
                await send(message)
        except TimeoutError as error:
            raise _TakesNothing from error

    return send_in_time


async def _send_head(response: HttpResponseBase, send: Send) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})


async def _ask_view(request: ASGIRequest) -> HttpResponseBase:
    try:
        match = resolve(request.path_info, urlconf="labs.stream_urls")
        response: HttpResponseBase = await match.func(request, *match.args, **match.kwargs)
    except Http404:
        return HttpResponse(status=404)
    return response


async def _await_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
