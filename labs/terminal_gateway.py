"""Serves terminals over WebSockets, beside the engine: the embedded process, or one of its own.

A browser comes with its session's cookie from a page of this site, and says first of all its
ticket. Bytes of a terminal pass through this process's event loop and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from django.http.request import validate_host

from labs import doorbell, hosts, keeper, terminals
from labs.engine.base import EngineError, Line
from labs.engine.terminal_line import TerminalLine
from labs.engines import get_engine
from labs.models import TerminalSession
from labs.room import StartsTaken
from labs.terminal_hub import Hub, note_deed
from labs.terminal_seat import Seat
from labs.terminal_threads import with_engine, with_rows
from labs.terminal_tickets import fits, read_ticket, topic_of

logger = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

FIRST_WORD_S = 10.0
CHECK_EVERY_S = 60.0
LAST_WORDS_S = 5.0
"""So long somebody who has to go is told why, whether they listen or not."""
LOGGING_OUT_S = 0.5
"""Django says that somebody logs out shortly before it is so."""
TRY_EVERY_S = 0.5
"""Until it is the turn of a terminal's lab to start."""
NO_TICKET = 4401
_hubs: dict[uuid.UUID, asyncio.Future[Hub]] = {}


def _no_page(request: object) -> HttpResponse:
    raise TypeError("only what these do to a request is wanted")


WHO_ASKS = (SessionMiddleware(_no_page), AuthenticationMiddleware(_no_page))


@dataclass(frozen=True)
class Admitted:
    """Somebody who may sit down at a terminal."""

    session: TerminalSession
    user: Any

    @property
    def is_owner(self) -> bool:
        return bool(self.user.pk == self.session.owner_id)


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """One browser at one terminal, from its first word to its last."""
    if (await receive())["type"] != "websocket.connect":
        return
    if not is_from_here(scope):
        await send({"type": "websocket.close", "code": Hub.SENT_AWAY})
        return
    await send({"type": "websocket.accept"})
    code = await _serve(scope, receive, send)
    with suppress(OSError):  # it may have left by itself
        await send({"type": "websocket.close", "code": code})


async def _serve(scope: Message, receive: Receive, send: Send) -> int:
    """The code to close with."""
    first = await _first_words(receive)
    admitted = await with_rows(admit, scope, str(first.get("ticket", "")))
    if admitted is None:
        return NO_TICKET
    await send({"type": "websocket.send", "text": '{"state": "starting"}'})
    cols, rows = _number(first, "cols", 80), _number(first, "rows", 24)
    try:
        hub = await _hub_of(admitted.session, cols, rows)
    except EngineError as error:
        logger.warning("terminal %s: %s", admitted.session.pk, error)
        return Hub.CUT_OFF
    if hub is None:
        return Hub.OVER
    seat = hub.sit(send, user=admitted.user, is_owner=admitted.is_owner)
    seat.tell({"size": hub.size})
    seat.begin(_number(first, "offset", 0))
    return await _stay(hub, seat, scope, receive)


async def _first_words(receive: Receive) -> dict[str, Any]:
    with suppress(TimeoutError):
        message = await asyncio.wait_for(receive(), FIRST_WORD_S)
        return _words_in(message.get("text") or "{}")
    return {}


def _words_in(text: str) -> dict[str, Any]:
    """Empty for what is no JSON of ours: a browser may send anything."""
    with suppress(ValueError, RecursionError):
        words = json.loads(text)
        if isinstance(words, dict):
            return words
    return {}


def _number(words: dict[str, Any], name: str, default: int) -> int:
    value = words.get(name)
    return value if isinstance(value, int) and 0 <= value < 2**53 else default


async def _stay(hub: Hub, seat: Seat, scope: Message, receive: Receive) -> int:
    """Until one of these is over: what it says, what it is told, whether it may be here."""
    tasks = [
        asyncio.ensure_future(work)
        for work in (
            _hear(hub, seat, receive),
            seat.send_all(),
            _see_off(seat),
            _check(scope, seat, hub.session),
        )
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    except OSError:
        seat.leave(Hub.CUT_OFF)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        hub.stand_up(seat)
    return seat.close_code or 1000


async def _hear(hub: Hub, seat: Seat, receive: Receive) -> None:
    while (message := await receive())["type"] == "websocket.receive":
        if data := message.get("bytes"):
            seat.type(data)
        elif text := message.get("text"):
            hub.hear(seat, _words_in(text))


async def _see_off(seat: Seat) -> None:
    await seat.has_left.wait()
    await asyncio.sleep(LAST_WORDS_S)


async def _check(scope: Message, seat: Seat, session: TerminalSession) -> None:
    """Every minute, and at once when this person logs out or may no longer look."""
    async with doorbell.listen(topic_of(seat.user)) as wait:
        while True:
            await wait(CHECK_EVERY_S)
            await asyncio.sleep(LOGGING_OUT_S)
            if not await with_rows(may_stay, scope, seat.user, session):
                seat.leave(Hub.SENT_AWAY)
                return


# Who may come in


def is_from_here(scope: Message) -> bool:
    """The page that asks is one of this site's own, by its Origin."""
    headers = {name.decode("latin-1").lower(): value for name, value in scope["headers"]}
    origin = headers.get("origin", b"").decode("latin-1")
    host = headers.get("host", b"").decode("latin-1")
    parts = urlsplit(origin)
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    is_ours = parts.scheme in ("http", "https") and bool(parts.netloc) and parts.netloc == host
    return is_ours and validate_host(parts.hostname or "", settings.ALLOWED_HOSTS)


def admit(scope: Message, ticket_text: str) -> Admitted | None:
    """Whom the ticket was made for, if the cookie says the same and both still hold."""
    ticket, user = read_ticket(ticket_text), user_of(scope)
    if ticket is None or ticket.user_id != user.pk:
        return None
    session = (
        TerminalSession.objects.select_related("owner", "lab__host")
        .filter(pk=ticket.session_id)
        .first()
    )
    if session is None or not fits(ticket, session) or not may_sit(user, session):
        return None
    if user.pk != session.owner_id:
        note_deed(user, "watch terminal", session)
    return Admitted(session, user)


def user_of(scope: Message) -> Any:
    """Who the cookie stands for, read anew."""
    request = ASGIRequest(dict(scope) | {"type": "http", "method": "GET"}, BytesIO())
    for middleware in WHO_ASKS:
        middleware.process_request(request)
    return request.user


def may_sit(user: Any, session: TerminalSession) -> bool:
    is_owner = user.has_perm("labs.open_terminal", session.lab)
    return bool(is_owner or user.has_perm("labs.watch_terminal", session))


def may_stay(scope: Message, user: Any, session: TerminalSession) -> bool:
    now = user_of(scope)
    return bool(now.pk == user.pk and now.is_active and may_sit(now, session))


# Hubs


async def _hub_of(session: TerminalSession, cols: int, rows: int) -> Hub | None:
    """The hub of this terminal, made now if need be. None where its shell is over for good."""
    made = _hubs.get(session.pk)
    if made is None:
        made = _hubs[session.pk] = asyncio.ensure_future(_make_hub(session, cols, rows))
        made.add_done_callback(lambda done: _forget_failed(session.pk, done))
    return await asyncio.shield(made)


def _forget_failed(key: uuid.UUID, made: asyncio.Future[Any]) -> None:
    if made.cancelled() or made.exception() or made.result() is None:
        _hubs.pop(key, None)


async def _make_hub(session: TerminalSession, cols: int, rows: int) -> Any:
    stream = await _open_in_turn(session)
    if stream is None:
        return None
    hub = Hub(session, TerminalLine(stream))
    hub.when_over = lambda: _hubs.pop(session.pk, None)
    try:
        await hub.line.greet()
        await hub.begin(max(2, cols), max(2, rows))
    except EngineError:
        hub.line.close()
        raise
    return hub


async def _open_in_turn(session: TerminalSession) -> Line | None:
    """Waits without a thread while other labs come first: those of ready labs need the threads."""
    give_up_at = time.monotonic() + keeper.START_PATIENCE_S
    while True:
        try:
            return await with_engine(open_line, session)
        except StartsTaken:
            if time.monotonic() > give_up_at:
                raise
        await asyncio.sleep(TRY_EVERY_S)


def open_line(session: TerminalSession) -> Line | None:
    """A line to the terminal's own lab, which is started for a new terminal and for no other."""
    session.refresh_from_db()
    if session.lab_generation and not session.is_live:
        terminals.close_session(session, reason=terminals.LAB_ENDED)
        return None
    if hosts.is_elsewhere(session.lab):
        raise EngineError("its lab is on another host")
    status = keeper.ensure_lab(session.lab, keep=lambda: None, asked_at=session.opened_at)
    if not terminals.bind_session(session, session.lab):
        terminals.close_session(session, reason=terminals.LAB_ENDED)
        return None
    return get_engine().open_line(status.container_id)
