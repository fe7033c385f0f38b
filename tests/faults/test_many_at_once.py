"""Several workers, several kills and doubled tasks meet over the same runs."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from labs import queue
from labs.models import Run
from labs.tasks import execute_run
from tests.engine_fixtures import wait_until
from tests.factories import make_user
from tests.faults.counted import LINE, await_outcome, counted_line, once, output_of_lines
from tests.faults.sites import end
from tests.site_fixtures import press_run

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.core,
    pytest.mark.django_db(transaction=True),
]

TIMES = 20
STUDENTS = 6
KILLS = 3
LONG = 600
SEED = random.randrange(2**32)


def test_kills_at_random_moments_of_one_run_lose_and_double_nothing(site):
    run = site.press(counted_line(LONG))
    some_way_in = sorted(
        random.Random(SEED).sample(range(1, len(output_of_lines(LONG)) // 2), KILLS)
    )
    for offset in some_way_in:
        worker = site.start_worker()
        wait_until(lambda offset=offset: Run.objects.filter(output_offset__gte=offset))
        end(worker)
    site.start_worker()
    assert await_outcome(run) == once(output_of_lines(LONG)), f"seed {SEED}"


def test_two_workers_that_race_for_the_same_runs_execute_each_once(site):
    runs = [site.press(LINE) for _ in range(STUDENTS)]
    site.start_worker()
    site.start_worker()
    assert [await_outcome(run) for run in runs] == [once()] * STUDENTS


def test_twenty_attempts_at_once_execute_a_run_once(site, site_engine):
    run = press_run(make_user(), LINE)

    def attempt(_: int) -> None:
        execute_run(str(run.pk))
        connection.close()

    with ThreadPoolExecutor(TIMES) as pool:
        list(pool.map(attempt, range(TIMES)))
    assert await_outcome(run) == once()


def test_a_task_that_comes_twenty_times_executes_its_run_once(worker, transactional_db):
    run = press_run(make_user(), LINE)
    for _ in range(TIMES):
        queue.enqueue_run(run)
    assert await_outcome(run) == once()
