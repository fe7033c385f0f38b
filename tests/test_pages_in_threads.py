"""Pages made in threads say over ASGI what they say over WSGI."""

from __future__ import annotations

import asyncio
import threading

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from config.pages import PagesInThreads

SCOPE = {
    "type": "http",
    "http_version": "1.1",
    "method": "POST",
    "path": "/käse",
    "query_string": b"a=1",
    "headers": [(b"content-length", b"8"), (b"x-who", b"ada")],
}


class Page:
    """A WSGI application that gives this response, and keeps what it was asked."""

    def __init__(self, response) -> None:
        self.response = response
        self.environ, self.body, self.thread = {}, b"", ""
        response._resource_closers.append(lambda: setattr(self, "is_closed", True))

    def __call__(self, environ, start_response):
        self.environ, self.thread = environ, threading.current_thread().name
        self.body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start_response("201 Created", list(self.response.items()))
        return self.response


def ask(page):
    """The messages that answer the request."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"name=ada", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(asyncio.wait_for(PagesInThreads(page)(SCOPE, receive, send), 60))
    return sent


def test_a_page_is_asked_in_a_thread_for_what_its_reader_sent():
    page = Page(HttpResponse())
    ask(page)
    assert page.thread.startswith("WSGI")
    assert page.body == b"name=ada"
    asked = [page.environ[name] for name in ("REQUEST_METHOD", "QUERY_STRING", "HTTP_X_WHO")]
    assert asked == ["POST", "a=1", "ada"]
    assert page.environ["PATH_INFO"].encode("latin1").decode() == "/käse"


def test_an_answer_in_one_piece_goes_out_whole():
    head, body = ask(Page(HttpResponse([b"a", b"b"], headers={"X-Kind": "page"})))
    assert (head["type"], head["status"]) == ("http.response.start", 201)
    assert (b"x-kind", b"page") in head["headers"]
    assert body == {"type": "http.response.body", "body": b"ab", "more_body": False}


def test_a_long_answer_goes_out_piece_by_piece():
    head, *pieces = ask(Page(StreamingHttpResponse([b"a", b"b"])))
    assert head["status"] == 201
    assert [piece["body"] for piece in pieces] == [b"a", b"b", b""]
    assert [piece["more_body"] for piece in pieces] == [True, True, False]


@pytest.mark.parametrize("kind", [HttpResponse, StreamingHttpResponse])
def test_every_answer_is_closed(kind):
    page = Page(kind([b"a"]))
    ask(page)
    assert page.is_closed
