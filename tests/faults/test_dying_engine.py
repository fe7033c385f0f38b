"""The Docker engine stops, dies or is not there yet: runs wait in words and pages stay fast."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from labs.manager import ENGINE_TROUBLE, LAB_DIED, LINE_CUT
from labs.models import Host, Lab, Run
from labs.receipts import output_of
from tests.engine_fixtures import wait_until
from tests.faults.counted import ENGINE, LINE, await_outcome, counted_line, once, output_of_lines
from tests.faults.sites import end
from tests.site_fixtures import await_output, await_run

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may run an engine")

FAST_S = 1.0
"""The quickest of three readings, since other work may hold the machine up."""
LINES = 300
LOST_WITHIN_S = 15


def await_words(run: Run, words: str) -> None:
    wait_until(lambda: Run.objects.filter(pk=run.pk, waiting_for=words).exists())


def read_page(site, run: Run) -> str:
    """The run's page. Fails where it isn't fast."""
    pages, took_s = zip(*(read_and_time(site, run) for _ in range(3)), strict=True)
    assert min(took_s) < FAST_S
    return pages[0]


def read_and_time(site, run: Run) -> tuple[str, float]:
    began = time.monotonic()
    page = site.read_as(run.owner, reverse("labs:run-detail", args=[run.pk]))
    return page, time.monotonic() - began


def test_a_run_waits_for_an_engine_that_is_down_and_its_page_says_so(make_site):
    socket = Path(settings.VAR_DIR) / f"{uuid.uuid4().hex[:8]}.sock"
    site = make_site(engine_url=f"unix://{socket}")
    site.start_ready_worker()
    run = site.press_live(LINE)
    await_words(run, ENGINE_TROUBLE)
    assert ENGINE_TROUBLE in read_page(site, run)
    assert "engine" in Host.objects.get(pk=site.host.pk).engine_error
    socket.symlink_to(ENGINE.removeprefix("unix://"))
    assert await_outcome(run) == once()
    assert not run.waiting_for


@needs_root
def test_a_run_outlives_an_engine_that_is_killed_where_its_lab_does(make_site, private_engine):
    private_engine.stop()
    private_engine.start("--live-restore")
    site = make_site(engine_url=private_engine.url)
    site.start_ready_worker()
    run = site.press_live(counted_line(LINES))
    await_output(run, b"line 10\n")
    private_engine.kill()
    await_words(run, LINE_CUT)
    assert LINE_CUT in read_page(site, run)
    private_engine.start("--live-restore")
    outcome = await_outcome(run, engine=private_engine.url)
    assert outcome == once(output_of_lines(LINES))


@needs_root
def test_a_run_is_lost_whose_lab_ends_with_its_engine_and_others_wait(make_site, private_engine):
    private_engine.stop()
    private_engine.start()
    site = make_site(engine_url=private_engine.url)
    site.start_ready_worker()
    first = site.have_files()
    run = site.press_live(counted_line(LINES), owner=first.owner)
    await_output(run, b"line 10\n")
    private_engine.stop()
    waiting = site.press_live(LINE)
    await_words(waiting, ENGINE_TROUBLE)
    private_engine.start()
    await_run(run, LOST_WITHIN_S)
    assert (run.state, run.detail) == (Run.State.LOST, LAB_DIED)
    assert await_outcome(waiting, engine=private_engine.url) == once()
    again = await_run(site.press_live("docker exec agent sh -c 'cat note; ls'", owner=first.owner))
    assert output_of(again) == b"kept\nnote\n"


@needs_root
def test_after_a_reboot_labs_are_said_to_be_gone_and_start_with_their_files(
    make_site, private_engine
):
    private_engine.stop()
    private_engine.start()
    site = make_site(engine_url=private_engine.url)
    worker = site.start_ready_worker()
    first = site.have_files()
    end(worker)
    private_engine.stop()
    private_engine.start()
    site.start_ready_worker()
    wait_until(lambda: Lab.objects.get().state == Lab.State.ABSENT, LOST_WITHIN_S)
    page = site.read_as(first.owner, reverse("labs:my-lab"))
    assert "ended or been removed" in page
    wait_until(lambda: not site.engine.list_labs(), LOST_WITHIN_S)
    again = await_run(site.press_live("docker exec agent sh -c 'cat note; ls'", owner=first.owner))
    assert (output_of(again), again.lab_generation) == (b"kept\nnote\n", 2)
