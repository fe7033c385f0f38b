"""The broker is killed, with all that was in it. It is a doorbell: rows are the truth.

Web process and worker are processes of their own here, as on a large site.
"""

from __future__ import annotations

import subprocess
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.urls import reverse
from django.utils import timezone

from labs.models import Run
from tests.faults.brokers import Broker
from tests.faults.counted import ABOUT_A_SECOND, LINE, await_outcome, once
from tests.faults.sites import Site, await_sweep, celery_command, freeze, thaw
from tests.site_fixtures import await_output

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

ANSWERED_WITHIN_S = 3
"""The quickest of three, since other work may hold the machine up."""


def start_worker(site: Site, broker: Broker) -> subprocess.Popen[bytes]:
    began_at = timezone.now()
    worker = site.start(*celery_command(site), **broker.environment)
    await_sweep(site.host, began_at)
    return worker


def press(site: Site) -> Run:
    """A press that the web process took, and rang for if it could."""
    run_id = site.post_press(site.make_student().username, uuid.uuid4(), LINE)
    return Run.objects.get(pk=run_id)


def press_and_time(site: Site) -> tuple[Run, float]:
    began = time.monotonic()
    return press(site), time.monotonic() - began


def test_a_ring_that_died_with_the_broker_is_repeated(site, broker):
    site.start_web(**broker.environment)
    worker = start_worker(site, broker)
    freeze(worker)
    run = press(site)
    broker.kill()
    broker.start()
    thaw(worker)
    assert await_outcome(run) == once()


def test_a_press_while_the_broker_is_down_is_taken_at_once_and_runs_when_it_is_back(site, broker):
    site.start_web(**broker.environment)
    start_worker(site, broker)
    broker.kill()
    runs, taken_in_s = zip(*(press_and_time(site) for _ in range(3)), strict=True)
    assert min(taken_in_s) < ANSWERED_WITHIN_S
    broker.start()
    assert [await_outcome(run) for run in runs] == [once()] * 3


def test_a_run_ends_well_without_its_broker_and_the_next_press_is_heard_when_it_is_back(
    site, broker
):
    site.start_web(**broker.environment)
    worker = start_worker(site, broker)
    run = press(site)
    await_output(run, b"line 3\n")
    broker.kill()
    assert await_outcome(run) == once()
    broker.start()
    assert await_outcome(press(site)) == once()
    assert worker.poll() is None


def test_a_stream_shows_all_of_a_run_though_the_broker_dies_meanwhile(site, broker):
    site.start_web(**broker.environment)
    start_worker(site, broker)
    run = press(site)
    with ThreadPoolExecutor(1) as pool:
        address = reverse("labs:run-events", args=[run.pk])
        stream = pool.submit(site.read_as, run.owner, address)
        await_output(run, b"line 3\n")
        broker.kill()
        events = stream.result(120)
    assert "event: over" in events
    assert f"line {ABOUT_A_SECOND}" in events
