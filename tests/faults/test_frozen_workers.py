"""A worker freezes and another one takes its run over. Then the first one wakes and goes on.

At the end of its attempt the thawed worker is killed, so that a test knows when it has done its
worst.
"""

from __future__ import annotations

import pytest

from tests.faults.counted import LINE, Outcome, await_outcome, once
from tests.faults.sites import all_at_once, await_death, await_freeze, thaw

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.core,
    pytest.mark.django_db(transaction=True),
]

POINTS = ("lab_created:1", "starting_marked:1", "chunk_stored:3", "exit_heard:1")


def test_a_worker_that_wakes_after_its_run_was_taken_over_does_no_harm(make_site):
    def wake_late(point: str) -> tuple[Outcome, Outcome]:
        site = make_site()
        frozen = site.start_freezing_worker(f"{point}:SIGSTOP attempt_over")
        run = site.press_live(LINE)
        await_freeze(frozen)
        site.start_worker()
        while_it_is_frozen = await_outcome(run)
        thaw(frozen)
        await_death(frozen)
        return while_it_is_frozen, await_outcome(run)

    assert all_at_once(wake_late, POINTS) == dict.fromkeys(POINTS, (once(), once()))
