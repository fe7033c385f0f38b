"""Slow and endless requests wait outside of the few threads that make pages."""

from __future__ import annotations

import asyncio

import pytest

from config.outbox import Holders, Outbox
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


def test_a_page_is_done_though_nobody_takes_its_answer():
    held, sent = [], []

    async def page_in_a_thread(scope, receive, send):
        held.append("page")
        for _ in range(3):
            await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": True})
        held.clear()

    async def ask():
        asked = asyncio.ensure_future(in_whole(page_in_a_thread)({}, receive_nothing, send))
        while not held:
            await asyncio.sleep(0)
        while held:
            await asyncio.sleep(0.01)
        assert not asked.done()
        taken.set()
        await asked

    async def send(message):
        await taken.wait()
        sent.append(message)

    taken = asyncio.Event()
    asyncio.run(asyncio.wait_for(ask(), 60))
    assert len(sent) == 3


def test_an_answer_that_nobody_takes_is_dropped():
    asked = []

    async def send(message):
        asked.append(message["type"])
        await asyncio.Event().wait()

    answer = in_whole(page, taken_within_s=0.05)({}, receive_nothing, send)
    asyncio.run(asyncio.wait_for(answer, 60))
    assert set(asked) == {"http.response.start"}


async def receive_nothing():
    return piece(b"x", more_body=False)


@pytest.fixture
def slow_and_slower():
    """Two long answers that wait for their readers, of which one has taken something."""

    async def hold():
        gates = [asyncio.Event(), asyncio.Event()]
        holders, first_taken = Holders(most=1), asyncio.Event()

        def reader(number):
            async def send(message):
                if number == 0 and not first_taken.is_set():
                    first_taken.set()
                    return
                await gates[number].wait()

            return send

        boxes = [
            Outbox(reader(number), holders, at_once_s=0.01, kept_bytes=1) for number in range(2)
        ]
        body = {"type": "http.response.body", "body": b"xxxx"}
        await boxes[0].take(body)
        waiting = [asyncio.ensure_future(box.take(body)) for box in boxes]
        done, _still = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        ended = [number for number in range(2) if waiting[number] in done]
        for gate in gates:
            gate.set()
        await asyncio.gather(*waiting, *(box.close() for box in boxes))
        return ended

    return asyncio.run(asyncio.wait_for(hold(), 60))


def test_where_too_many_threads_are_held_the_slowest_reader_is_given_up(slow_and_slower):
    assert slow_and_slower == [1]
