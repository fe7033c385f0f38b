"""Streams as they go over ASGI: who gets one, what its head says, and when it ends."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.testing import ApplicationCommunicator
from django.test import Client
from django.urls import reverse

from labs import doorbell, stream_places
from labs.models import Run
from labs.stream_places import MOST_STREAMS
from labs.stream_server import application
from tests.engine_fixtures import PATIENCE_S, wait_until
from tests.factories import make_finished_run, make_run, make_user

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.core,
    pytest.mark.usefixtures("stream_readers"),
]


def scope_of(run, reader=None):
    """The request of a browser in which `reader` is logged in."""
    browser = Client()
    headers = []
    if reader:
        browser.force_login(reader)
        headers = [(b"cookie", f"sessionid={browser.cookies['sessionid'].value}".encode())]
    path = reverse("labs:run-events", args=[run.pk])
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": headers,
        "http_version": "1.1",
        "scheme": "http",
    }


def whole_answer(scope):
    """Status, headers and body of a stream that ends by itself."""

    async def ask():
        caller = ApplicationCommunicator(application, scope)
        await caller.send_input({"type": "http.request", "body": b""})
        start = await caller.receive_output(PATIENCE_S)
        body, more = b"", True
        while more:
            piece = await caller.receive_output(PATIENCE_S)
            body, more = body + piece["body"], piece.get("more_body", False)
        return start["status"], {k.decode(): v.decode() for k, v in start["headers"]}, body

    return asyncio.run(ask())


def test_the_owner_gets_the_whole_run_and_its_end():
    owner = make_user()
    status, headers, body = whole_answer(scope_of(make_finished_run(owner), owner))
    assert status == 200
    assert headers["content-type"] == "text/event-stream"
    assert b"event: lines\n" in body
    assert body.rstrip().endswith(b'data: {"state": "finished"}')


def test_a_stream_speaks_the_language_that_its_page_asks_for():
    owner = make_user()
    scope = scope_of(make_finished_run(owner), owner) | {"query_string": b"lang=de"}
    assert b"Beendet, Exit-Code 0" in whole_answer(scope)[2]


def test_no_proxy_may_hold_a_stream_back_or_keep_it():
    owner = make_user()
    _, headers, _ = whole_answer(scope_of(make_finished_run(owner), owner))
    assert headers["x-accel-buffering"] == "no"
    assert headers["cache-control"] == "no-cache, no-transform"


@pytest.mark.parametrize("reader", [None, "somebody else"])
def test_everybody_else_finds_nothing(reader):
    run = make_finished_run(make_user())
    somebody = make_user() if reader else None
    assert whole_answer(scope_of(run, somebody))[0] == 404


def test_an_address_without_a_stream_is_not_found():
    owner = make_user()
    run = make_finished_run(owner)
    scope = scope_of(run, owner) | {"path": "/streams/nothing/"}
    assert whole_answer(scope)[0] == 404


def test_a_stream_ends_with_its_reader():
    owner = make_user()
    run = make_run(owner, state=Run.State.RUNNING)
    scope = scope_of(run, owner)

    async def leave_in_the_middle():
        caller = ApplicationCommunicator(application, scope)
        await caller.send_input({"type": "http.request", "body": b""})
        assert (await caller.receive_output(PATIENCE_S))["status"] == 200
        await caller.receive_output(PATIENCE_S)
        await caller.send_input({"type": "http.disconnect"})
        await caller.wait(PATIENCE_S)

    asyncio.run(leave_in_the_middle())
    wait_until(lambda: str(run.pk) not in doorbell._waiters)


def test_the_oldest_of_too_many_streams_of_one_person_ends_in_words():
    owner, other = make_user(), make_user()
    run, theirs = (make_run(each, state=Run.State.RUNNING) for each in (owner, other))
    asked = [scope_of(run, owner) for _ in range(MOST_STREAMS + 1)]
    asked_by_other = scope_of(theirs, other)

    async def open_many():
        somebody_elses = await open_stream(asked_by_other)
        mine = [await open_stream(scope) for scope in asked]
        said = b""
        while b"event: left" not in said:
            said = (await mine[0].receive_output(PATIENCE_S))["body"]
        assert not (await mine[0].receive_output(PATIENCE_S)).get("more_body", False)
        for stream in (somebody_elses, *mine[1:]):
            assert (await stream.receive_output(PATIENCE_S))["more_body"]
            await stream.send_input({"type": "http.disconnect"})
            await stream.wait(PATIENCE_S)
        return said

    assert b"You have many pages open" in asyncio.run(open_many())
    assert not stream_places._taken


async def open_stream(scope):
    stream = ApplicationCommunicator(application, scope)
    await stream.send_input({"type": "http.request", "body": b""})
    assert (await stream.receive_output(PATIENCE_S))["status"] == 200
    await stream.receive_output(PATIENCE_S)
    return stream
