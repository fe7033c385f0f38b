"""Stop is heard at once, though every thread that carries runs is taken."""

from __future__ import annotations

import time

import pytest
from django.conf import settings

from labs.models import Lab, Run
from tests.engine_fixtures import wait_until
from tests.faults.sites import Site
from tests.site_fixtures import await_output, await_run

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not settings.WORKER_IS_EMBEDDED, reason="one worker for all queues here"),
]

STOPS_WITHIN_S = 2.0
"""The quicker of two, since other work may hold the machine up."""
LONG = "docker exec agent sh -c 'echo begun; exec sleep 60'"


def take_every_thread(site: Site) -> list[Run]:
    """Two threads, two runs, and one more that finds none."""
    site.start_ready_worker(CELERY_WORKER_CONCURRENCY="2")
    begun = [site.press_live(LONG), site.press_live(LONG)]
    for run in begun:
        await_output(run, b"begun\n")
    return [*begun, site.press_live(LONG)]


def test_a_lab_stops_though_every_thread_is_taken(site):
    first, *_ = take_every_thread(site)
    site.stop_lab_live(first.lab)
    stopped = Lab.objects.filter(pk=first.lab_id, state=Lab.State.ABSENT)
    wait_until(stopped.exists)
    assert await_run(first).state == Run.State.STOPPED


def test_a_run_stops_within_two_seconds_though_every_thread_is_taken(site):
    first, second, _ = take_every_thread(site)
    assert max(stopping_s(site, first), stopping_s(site, second)) < STOPS_WITHIN_S
    assert (first.state, second.state) == (Run.State.STOPPED, Run.State.STOPPED)


def test_a_lab_that_was_removed_is_called_gone_though_every_thread_is_taken(site):
    site.start_ready_worker(CELERY_WORKER_CONCURRENCY="2")
    gone = site.have_files()
    for run in (site.press_live(LONG), site.press_live(LONG)):
        await_output(run, b"begun\n")
    site.engine.remove_lab(site.find_container(gone))
    wait_until(Lab.objects.filter(pk=gone.lab_id, state="absent").exists)
    assert Run.objects.active().count() == 2


def stopping_s(site: Site, run: Run) -> float:
    began_at = time.monotonic()
    site.stop_run_live(run)
    await_run(run)
    return time.monotonic() - began_at
