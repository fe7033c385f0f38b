"""What an admin hears of answers that failed."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.urls import path

from config.urls import urlpatterns as addresses_of_the_site
from labs.models import ServerError
from labs.server_errors import Tally
from labs.stream_server import application as streams

pytestmark = pytest.mark.django_db
KIND = ("broken-page", 500)


def broken(request):
    raise ValueError("a bug of ours")


def busy(request):
    return HttpResponse(status=503)


urlpatterns = [
    path("broken/", broken, name="broken-page"),
    path("busy/", busy, name="busy-page"),
    *addresses_of_the_site,
]


def counted():
    return {(error.view, error.status): error.count for error in ServerError.objects.all()}


def write_without_a_database(tally):
    def refuse(*args):
        raise OperationalError("the database is down")

    with connection.execute_wrapper(refuse):
        tally.write()


@pytest.mark.urls(__name__)
def test_failed_pages_are_counted_by_view_and_status(client):
    client.raise_request_exception = False
    for address in ("/broken/", "/busy/", "/broken/", "/reading/", "/nowhere/"):
        client.get(address)
    assert counted() == {("broken-page", 500): 2, ("busy-page", 503): 1}


def test_what_the_database_could_not_take_is_counted_once_it_can():
    tally = Tally(try_again_s=0)
    tally.add(Counter({KIND: 2}))
    write_without_a_database(tally)
    tally.add(Counter({KIND: 1}))
    assert counted() == {}
    tally.write()
    tally.write()
    assert counted() == {KIND: 3}


def test_a_database_that_is_down_is_not_asked_with_every_answer():
    tally = Tally(try_again_s=600)
    tally.add(Counter({KIND: 1}))
    write_without_a_database(tally)
    tally.write()
    assert counted() == {}


@pytest.mark.django_db(transaction=True)
def test_a_stream_that_fails_is_counted_too():
    async def ask():
        async def receive():
            await asyncio.Event().wait()

        async def send(message):
            raise AssertionError("nothing is to be sent")

        # without a method no view can be asked
        await streams({"type": "http", "path": "/streams/", "headers": []}, receive, send)

    with pytest.raises(KeyError, match="method"):
        asyncio.run(ask())
    assert counted() == {("streams", 500): 1}
