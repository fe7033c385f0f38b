"""Connections that ask nothing and take nothing: closed, so that there is room for others."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
import uvicorn

from labs.patient_http import PatientProtocol
from tests.engine_fixtures import PATIENCE_S


class Hasty(PatientProtocol):
    look_every_s = 0.05


class LessHasty(PatientProtocol):
    """Other work may hold reader and server up together for longer than a hasty look."""

    look_every_s = 0.5


async def long_page(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x" * 32 * 1024 * 1024})


@asynccontextmanager
async def served(page, http=Hasty):
    """The port of a server of this page."""
    config = uvicorn.Config(page, http=http, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        yield listener.getsockname()[1]
        server.should_exit = True
        await serving


@pytest.mark.parametrize(
    "asked",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ids=["nothing", "half a head", "a page that it doesn't take"],
)
def test_who_does_nothing_is_hung_up_on(asked):
    async def do_nothing():
        async with served(long_page) as port:
            _reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            writer.write(asked)
            await _hung_up(writer)
            writer.close()

    asyncio.run(asyncio.wait_for(do_nothing(), PATIENCE_S))


async def _hung_up(writer):
    """The other side says so by an error at a write, once it has gone for good."""
    while not writer.is_closing():
        writer.write(b"\r\n")
        await asyncio.sleep(0.02)


def test_who_reads_gets_all_of_it():
    async def read():
        async with served(long_page, http=LessHasty) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            answer = await reader.read(-1)
            writer.close()
            return answer

    answer = asyncio.run(asyncio.wait_for(read(), PATIENCE_S))
    assert answer.count(b"x") >= 32 * 1024 * 1024
