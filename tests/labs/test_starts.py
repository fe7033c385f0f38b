"""How many labs start at once on a host, whose turn it is, and who is rung for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings as site_settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labs import musters, pauses, reconcile, room, troubles
from labs.engine.base import EngineDown
from labs.lab_requests import request_restart
from labs.lifecycle import begin_start, lab_of, mark_ready
from labs.manager import execute_run
from labs.models import Host, Lab, Wish
from labs.room import StartsTaken
from labs.wish_words import Outcome
from tests.factories import make_run, make_user

pytestmark = pytest.mark.django_db

AT_ONCE = 2


@pytest.fixture
def host(settings):
    settings.LAB_STARTS_AT_ONCE = AT_ONCE
    return Host.objects.create(name=site_settings.LAB_HOST, capacity_labs=20)


def make_lab(host, state="absent", **fields):
    lab = lab_of(make_user())
    fields = {"host": host, "state": state} | fields
    Lab.objects.filter(pk=lab.pk).update(**fields)
    lab.refresh_from_db()
    return lab


def make_starting(host, *, for_s=10):
    deadline_at = timezone.now() + timedelta(seconds=for_s)
    return make_lab(host, "starting", state_deadline_at=deadline_at)


def press_ago(lab, seconds, **fields):
    at = timezone.now() - timedelta(seconds=seconds)
    return make_run(lab.owner, lab=lab, queued_at=at, **fields)


def rung_by(deed, django_capture_on_commit_callbacks):
    """What a deed rings for: the ids, in order."""
    with django_capture_on_commit_callbacks() as rings:
        deed()
    return [ring.args[1] for ring in rings]


def ids(*rows):
    return [str(row.pk) for row in rows]


def test_as_many_labs_start_at_once_as_may_whoever_asks(host):
    first, second = (make_lab(host) for _ in range(AT_ONCE))
    assert begin_start(first, host=host)
    assert begin_start(second, host=host)
    third = make_lab(host)
    with pytest.raises(StartsTaken):
        begin_start(third, host=host)
    assert mark_ready(first, container_id="c", image="i")
    assert begin_start(third, host=host)


def test_a_start_that_is_broken_off_is_nobodys_any_more_and_counts_when_it_is_taken_up(host):
    broken_off = make_starting(host, for_s=-1)
    assert room.free_starts(host) == AT_ONCE
    for _ in range(AT_ONCE):
        make_starting(host)
    with pytest.raises(StartsTaken):
        begin_start(broken_off, host=host)


def test_starts_of_another_host_take_none_here(host):
    there = Host.objects.create(name="there")
    for _ in range(AT_ONCE):
        make_starting(there)
    assert begin_start(make_lab(host), host=host)


def test_who_asked_earlier_starts_first(host):
    make_starting(host)
    earlier, later = make_lab(host), make_lab(host)
    press_ago(earlier, 60)
    run = press_ago(later, 30)
    with pytest.raises(StartsTaken):
        begin_start(later, host=host, asked_at=run.queued_at)
    assert begin_start(later, host=host, asked_at=timezone.now() - timedelta(minutes=2))


def test_a_lab_that_nobody_pressed_for_starts_behind_all_who_did(host):
    make_starting(host)
    press_ago(make_lab(host), 1)
    with pytest.raises(StartsTaken):
        begin_start(make_lab(host), host=host)


def test_a_muster_whose_turn_is_yet_to_come_waits_and_says_so(host):
    for _ in range(AT_ONCE):
        make_starting(host)
    lab = make_lab(host)
    musters.request_muster([lab.owner], actor=lab.owner)
    musters.carry_out(lab.muster.pk)
    lab.muster.refresh_from_db()
    assert lab.muster.state == "waiting"
    assert "starts by itself" in lab.muster.problem


def test_where_the_engine_is_down_that_is_what_those_behind_are_told(host):
    Host.objects.update(engine_error="no answer")
    for _ in range(AT_ONCE):
        make_starting(host)
    with pytest.raises(EngineDown):
        begin_start(make_lab(host), host=host)


def test_a_run_whose_turn_is_yet_to_come_holds_no_thread_and_writes_nothing(host):
    for _ in range(AT_ONCE):
        make_starting(host)
    run = press_ago(make_lab(host), 1)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        execute_run(run.pk)
    assert {query["sql"].split()[0] for query in queries.captured_queries} == {"SELECT"}
    run.refresh_from_db()
    assert (run.state, run.lease_owner, run.waiting_for) == ("queued", "", "")


def test_what_waits_for_its_turn_needs_no_words_beside_its_place():
    assert troubles.waiting_words(StartsTaken("…")) == ""


def test_the_end_of_a_start_rings_for_those_whose_turn_it_is(
    host, django_capture_on_commit_callbacks
):
    make_starting(host)
    second, first = (press_ago(make_lab(None), seconds) for seconds in (10, 20))
    rung = rung_by(lambda: pauses.ring_waiting(host), django_capture_on_commit_callbacks)
    assert rung == ids(first)
    Lab.objects.filter(state="starting").update(state="ready")
    rung = rung_by(lambda: pauses.ring_waiting(host), django_capture_on_commit_callbacks)
    assert rung == ids(first, second)


def test_nobody_is_rung_for_whom_a_worker_sees_to_already(host, django_capture_on_commit_callbacks):
    make_starting(host)
    press_ago(make_lab(host), 20, lease_until_at=timezone.now() + timedelta(seconds=9))
    press_ago(make_lab(host), 10)
    assert rung_by(lambda: pauses.ring_waiting(host), django_capture_on_commit_callbacks) == []


def test_a_wish_that_waits_for_its_turn_is_rung_for(host, django_capture_on_commit_callbacks):
    wishes = [request_restart(lab, actor=lab.owner) for lab in (make_lab(host), make_lab(host))]
    Wish.objects.filter(pk=wishes[1].pk).update(outcome=Outcome.IN_LINE)
    rung = rung_by(lambda: pauses.ring_waiting(host), django_capture_on_commit_callbacks)
    assert rung == ids(wishes[1])


def test_a_sweep_rings_for_those_whose_turn_it_is_and_for_those_who_were_told_something_else(
    host, django_capture_on_commit_callbacks
):
    make_starting(host)
    first, _second = (press_ago(make_lab(host), seconds) for seconds in (30, 20))
    told = press_ago(make_lab(host), 10, waiting_for="All places are taken.")
    rung = rung_by(lambda: reconcile.ring_again(host), django_capture_on_commit_callbacks)
    assert sorted(rung) == sorted(ids(first, told))


@pytest.mark.parametrize("trouble", [{"engine_error": "no answer"}, {"capacity_labs": 0}])
def test_a_sweep_rings_for_all_where_nobodys_turn_comes_so_that_they_are_told_why(
    host, trouble, django_capture_on_commit_callbacks
):
    Host.objects.update(**trouble)
    host.refresh_from_db()
    runs = [press_ago(make_lab(host), 10) for _ in range(AT_ONCE + 1)]
    rung = rung_by(lambda: reconcile.ring_again(host), django_capture_on_commit_callbacks)
    assert sorted(rung) == sorted(ids(*runs))
