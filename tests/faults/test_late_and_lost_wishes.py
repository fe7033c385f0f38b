"""Wishes whose ring was lost, workers that come back very late, files that were nearly saved."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from labs import runs
from labs.manager import NOBODY_CAME
from labs.models import Lab, Run
from labs.receipts import output_of
from tests.engine_fixtures import wait_until
from tests.faults.counted import LINE, Outcome, await_outcome, once, read_checkpoint
from tests.faults.sites import WRITE, all_at_once, await_death, await_freeze, thaw
from tests.site_fixtures import await_output, await_run

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.django_db(transaction=True),
]

READ = "docker exec agent cat note"
LONG = "docker exec agent sh -c 'echo begun; exec sleep 60'"


def make_overdue(run: Run) -> None:
    """As if no worker had been there for an hour."""
    Run.objects.filter(pk=run.pk).update(state_deadline_at=timezone.now() - timedelta(hours=1))


def test_a_wish_to_stop_that_nobody_rang_for_is_heard_while_a_run_is_quiet(site):
    run = site.press(LONG)
    site.start_worker()
    await_output(run, b"begun\n")
    runs.ask_stop(run)
    assert await_run(run).state == Run.State.STOPPED


def test_a_wish_to_stop_between_the_two_halves_of_a_start_is_heard(site):
    worker = site.start_freezing_worker("starting_marked:1:SIGSTOP")
    run = site.press_live(LONG)
    await_freeze(worker)
    runs.ask_stop(run)
    thaw(worker)
    assert await_run(run).state == Run.State.STOPPED


def test_a_run_that_its_lab_has_begun_is_not_lost_however_late_the_next_worker_comes(make_site):
    def come_late(point: str) -> Outcome:
        site = make_site()
        run = site.press(LINE)
        await_death(site.start_worker(LAB_FAILPOINTS=point))
        make_overdue(run)
        site.start_worker()
        return await_outcome(run)

    points = ("run_started", "chunk_stored:5", "exit_heard")
    assert all_at_once(come_late, points) == dict.fromkeys(points, once())


def test_a_run_that_no_lab_has_begun_is_not_begun_when_it_is_far_too_late(site):
    run = site.press(LINE)
    await_death(site.start_worker(LAB_FAILPOINTS="starting_marked"))
    make_overdue(run)
    site.start_worker()
    await_run(run)
    assert (run.state, run.detail) == (Run.State.LOST, NOBODY_CAME)
    ls = await_run(site.press_live("docker exec agent ls", owner=run.owner))
    assert (output_of(ls), ls.lab_generation) == (b"", 1)


def test_files_that_were_read_but_never_stored_are_saved_after_a_run_that_changes_none(site):
    first = site.press(WRITE)
    await_death(site.start_worker(LAB_FAILPOINTS="archive_read"))
    await_run(first)
    second = site.press("docker exec agent true", owner=first.owner)
    site.start_worker()
    await_run(second)
    wait_until(lambda: not Lab.objects.get().unsaved_since_at)
    assert read_checkpoint(second.lab, "note") == b"kept\n"


def test_a_lab_whose_stop_was_cut_off_is_stopped_and_serves_the_next_run(site):
    worker = site.start_ready_worker(LAB_FAILPOINTS="archive_read:2")
    first = site.have_files()
    site.stop_lab_live(first.lab)
    await_death(worker)
    second = site.press(READ, owner=first.owner)
    site.start_worker()
    await_run(second)
    assert (output_of(second), second.lab_generation) == (b"kept\n", 2)


def test_a_lab_that_is_stopped_before_its_files_are_back_loses_none(site):
    starter = site.start_freezing_worker("lab_created:2:SIGSTOP")
    first = site.have_files()
    site.engine.remove_lab(site.find_container(first))
    second = site.press_live(READ, owner=first.owner)
    await_freeze(starter)
    site.start_ready_worker()
    site.stop_lab_live(first.lab)
    await_run(second)
    thaw(starter)
    assert output_of(second) == b"kept\n"
