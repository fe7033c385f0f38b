"""A worker is killed at every step of a run. Then another one comes, and all is counted."""

from __future__ import annotations

import pytest

from tests.faults.counted import LINE, PROMISED_S, Outcome, await_outcome, once
from tests.faults.sites import all_at_once, await_death

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.core,
    pytest.mark.django_db(transaction=True),
]

BEFORE_THE_START = ("lease_taken", "lab_starting", "lab_created", "lab_chosen", "starting_marked")
WHILE_IT_RUNS = ("run_started", "chunk_stored", "chunk_stored:6")
IN_A_READY_LAB = ("lease_taken:2", "run_started:2", "archive_read:2")
AT_ITS_END = ("exit_heard", "receipt_written", "archive_read", "files_saved", "run_forgotten")


@pytest.mark.parametrize("points", [BEFORE_THE_START, WHILE_IT_RUNS, AT_ITS_END])
def test_a_run_survives_a_kill_of_its_worker(points, make_site):
    def survive(point: str) -> Outcome:
        site = make_site()
        run = site.press(LINE)
        await_death(site.start_worker(LAB_FAILPOINTS=point))
        site.start_worker()
        return await_outcome(run, PROMISED_S)

    assert all_at_once(survive, points) == dict.fromkeys(points, once())


def test_a_run_in_a_lab_that_was_ready_survives_a_kill_of_its_worker(make_site):
    def survive(point: str) -> Outcome:
        site = make_site()
        worker = site.start_ready_worker(LAB_FAILPOINTS=point)
        first = site.have_files()
        run = site.press_live(LINE, owner=first.owner)
        await_death(worker)
        site.start_worker()
        return await_outcome(run, PROMISED_S)

    assert all_at_once(survive, IN_A_READY_LAB) == dict.fromkeys(IN_A_READY_LAB, once())
