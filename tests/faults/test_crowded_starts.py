"""More labs begin at once than may: each gets its turn, and nobody who is ready waits for them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from labs.lab_requests import request_restart
from labs.models import Lab, Run, Wish
from labs.receipts import output_of
from labs.rendering import headline_of
from tests.engine_fixtures import wait_until
from tests.faults.counted import LINE, await_outcome, once
from tests.faults.held_engine import DOTTED_NAME, Starts
from tests.faults.sites import all_at_once, await_death
from tests.faults.test_killed_gateway import Gateway
from tests.site_fixtures import await_run

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.core,
    pytest.mark.django_db(transaction=True),
]

AT_ONCE = 2
THREADS = 3
COLD = 6
READ = "docker exec agent cat note"
FEW_THREADS = {
    "CELERY_WORKER_CONCURRENCY": str(THREADS),
    "LAB_STARTS_AT_ONCE": str(AT_ONCE),
    "LAB_ENGINE": DOTTED_NAME,
}
ONE_BY_ONE = {"LAB_STARTS_AT_ONCE": "1"}


@pytest.fixture
def starts(site):
    """Of the site's labs: held while the test wants it, and written down."""
    return Starts(site.name)


def press_cold(site, starts):
    """Presses of more labs than there are threads; as many are starting now as may."""
    already = len(starts.begun())
    starts.hold()
    runs = [site.press_live("docker exec agent echo hi") for _ in range(COLD)]
    wait_until(lambda: len(starts.begun()) == already + AT_ONCE)
    return runs


def test_a_ready_labs_run_gets_through_while_more_labs_start_than_there_are_threads(site, starts):
    site.start_ready_worker(**FEW_THREADS)
    ready = site.have_files()
    cold = press_cold(site, starts)
    again = await_run(site.press_live(READ, owner=ready.owner))
    assert output_of(again) == b"kept\n"
    assert Lab.objects.filter(state=Lab.State.STARTING).count() == AT_ONCE
    told = f"Waiting: {COLD - 1} runs are before yours …"
    wait_until(lambda: headline_of(Run.objects.get(pk=cold[-1].pk)) == told)
    starts.let_go()
    assert [output_of(await_run(run)) for run in cold] == [b"hi\n"] * COLD
    assert sorted(starts.begun()) == [ready.lab_id, *(run.lab_id for run in cold)]
    assert starts.most_at_once() == AT_ONCE


def test_turns_come_in_the_order_of_the_presses(site, starts):
    runs = [site.press("docker exec agent echo hi") for _ in range(AT_ONCE + 2)]
    site.start_worker(**ONE_BY_ONE, LAB_ENGINE=DOTTED_NAME)
    assert [output_of(await_run(run)) for run in runs] == [b"hi\n"] * len(runs)
    assert starts.begun() == [run.lab_id for run in runs]
    assert starts.most_at_once() == 1


def test_a_restart_waits_for_its_turn_without_a_thread_and_gets_it(site, starts):
    site.start_ready_worker(**FEW_THREADS)
    ready = site.have_files()
    cold = press_cold(site, starts)
    wish = request_restart(Lab.objects.get(pk=ready.lab_id), actor=ready.owner)
    wait_until(lambda: Wish.objects.filter(pk=wish.pk, outcome="in_line", lease_owner="").exists())
    starts.let_go()
    wait_until(lambda: not Wish.objects.active().filter(pk=wish.pk).exists())
    assert Wish.objects.get(pk=wish.pk).outcome == "restarted"
    assert {await_run(run).state for run in cold} == {Run.State.FINISHED}
    assert starts.most_at_once() == AT_ONCE


def test_a_terminal_waits_for_its_turn_without_a_thread_and_gets_it(site):
    """Beside labs that other processes seem to start, since nobody sweeps here."""
    soon = timezone.now() + timedelta(hours=1)
    others = [site.make_student().lab.pk for _ in range(settings.LAB_STARTS_AT_ONCE)]
    Lab.objects.filter(pk__in=others).update(state=Lab.State.STARTING, state_deadline_at=soon)
    student = site.make_student()
    gateway = Gateway(site)
    seat = gateway.seat(student)
    while not (told := seat.next_frame()):
        seat.receive()
    assert b"starting" in told[1]
    assert Lab.objects.get(owner=student).state == Lab.State.ABSENT
    Lab.objects.filter(pk__in=others).update(state=Lab.State.ABSENT)
    seat.read_until(b"$ ")
    assert Lab.objects.get(owner=student).state == Lab.State.READY
    gateway.close()


def test_who_waits_for_a_turn_gets_it_though_a_worker_dies_around_the_start_before(make_site):
    def survive(point):
        site = make_site()
        runs = [site.press(LINE) for _ in range(2)]
        await_death(site.start_worker(LAB_FAILPOINTS=point, **ONE_BY_ONE))
        site.start_worker(**ONE_BY_ONE)
        return [await_outcome(run) for run in runs]

    points = ("lab_starting", "lab_created", "start_over")
    assert all_at_once(survive, points) == dict.fromkeys(points, [once()] * 2)
