"""The process that takes a press is killed between writing it down and ringing for a worker."""

from __future__ import annotations

import uuid

import pytest

from course.models import User
from labs.models import Run
from tests.faults.counted import LINE, PROMISED_S, await_outcome, once
from tests.faults.sites import Site, await_death
from tests.site_fixtures import press_run

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.core,
    pytest.mark.django_db(transaction=True),
]

BEFORE_THE_RING = "before_labs.tasks.execute_run"


def press_and_die(site: Site, student: User, key: uuid.UUID) -> Run:
    """`run_as` takes the path of the Run button, here up to the ring and no further."""
    command = ("manage.py", "run_as", student.username, "--key", str(key), "--", LINE)
    await_death(site.start(*command, LAB_FAILPOINTS=BEFORE_THE_RING))
    return Run.objects.get(owner=student, state=Run.State.QUEUED)


def test_a_press_that_nobody_rang_for_is_found_by_the_sweeper(site):
    site.start_ready_worker()
    run = press_and_die(site, site.make_student(), uuid.uuid4())
    assert await_outcome(run, PROMISED_S) == once()


def test_a_press_that_nobody_rang_for_is_found_by_the_next_worker(site):
    run = press_and_die(site, site.make_student(), uuid.uuid4())
    site.start_worker()
    assert await_outcome(run, PROMISED_S) == once()


def test_the_same_press_sent_again_is_the_same_run(site):
    student, key = site.make_student(), uuid.uuid4()
    run = press_and_die(site, student, key)
    assert press_run(student, LINE, key=key) == run
    site.start_worker()
    assert await_outcome(run, PROMISED_S) == once()
    assert press_run(student, LINE, key=key) == run
    assert Run.objects.count() == 1
