"""Slow and endless requests wait outside of the few threads that make pages."""

from __future__ import annotations

import asyncio

from config.whole_requests import MOST_BYTES, in_whole


async def page(scope, receive, send):
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


async def no_page(scope, receive, send):
    raise AssertionError("a page was asked though its request is not whole")


def ask(pages, messages, **limits):
    """Statuses and bodies of the answer to a request of these messages."""
    left, sent = list(messages), []

    async def receive():
        return left.pop(0) if left else await asyncio.Event().wait()

    async def send(message):
        sent.append(message.get("status", message.get("body")))

    asyncio.run(asyncio.wait_for(in_whole(pages, **limits)({}, receive, send), 60))
    return sent


def piece(body, more_body=True):
    return {"type": "http.request", "body": body, "more_body": more_body}


def test_a_page_gets_the_whole_body_at_once():
    assert ask(page, [piece(b"name="), piece(b"ada", more_body=False)]) == [200, b"name=ada"]


def test_a_request_that_never_ends_reaches_no_page():
    assert ask(no_page, [piece(b"half a f")], body_s=0.05) == [408, b""]


def test_a_request_that_is_too_large_reaches_no_page():
    endless = [piece(b"x" * 1024 * 1024)] * (MOST_BYTES // 1024 // 1024 + 2)
    assert ask(no_page, endless) == [413, b""]


def test_somebody_who_left_is_asked_nothing():
    assert ask(no_page, [piece(b"half"), {"type": "http.disconnect"}]) == []


def test_an_answer_that_nobody_takes_is_dropped():
    asked = []

    async def receive():
        return piece(b"x", more_body=False)

    async def send(message):
        asked.append(message["type"])
        await asyncio.Event().wait()

    asyncio.run(asyncio.wait_for(in_whole(page, taken_within_s=0.05)({}, receive, send), 60))
    assert asked == ["http.response.start"]
