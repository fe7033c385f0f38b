"""Who takes a new lab, and when a lab leaves its host for another one. Rows only."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from labs import hosts, keeper, lifecycle, musters
from labs.fulfilment import fulfil_wish
from labs.lab_requests import request_restart
from labs.models import Host, Lab, Muster, Run
from tests.factories import make_run, make_user

pytestmark = pytest.mark.django_db


def make_host(name, *, answered_s_ago=0, **fields):
    answered_at = timezone.now() - timedelta(seconds=answered_s_ago)
    return Host.objects.create(name=name, seen_at=answered_at, answered_at=answered_at, **fields)


def make_lab(host, state, username="ann"):
    return Lab.objects.create(owner=make_user(username), host=host, state=state, container_id="c1")


def test_a_host_with_room_takes_labs_and_a_full_draining_or_broken_one_does_not():
    well = make_host("well")
    assert hosts.has_room(well)
    assert not hosts.has_room(make_host("full", capacity_labs=0))
    assert not hosts.has_room(make_host("draining", is_draining=True))
    assert not hosts.has_room(make_host("broken", engine_error="no engine"))
    assert not hosts.has_room(make_host("dead", answered_s_ago=1000))
    assert not hosts.has_room(Host.objects.create(name="never seen"))


def test_a_full_host_listens_only_where_nobody_has_room():
    full = make_host("full", capacity_labs=0)
    assert hosts.is_to_take_labs(full)
    make_host("well")
    assert not hosts.is_to_take_labs(full)


def test_labs_of_a_dead_host_start_elsewhere_and_say_why():
    dead, well = make_host("dead", answered_s_ago=1000), make_host("well")
    lab = make_lab(dead, Lab.State.READY)
    run = make_run(lab.owner, state=Run.State.RUNNING)
    hosts.move_labs_to(well)
    lab.refresh_from_db()
    run.refresh_from_db()
    assert (lab.state, lab.host, lab.container_id) == (Lab.State.ABSENT, None, "")
    assert lab.reason == hosts.HOST_DIED
    assert (run.state, run.reason, run.detail) == (Run.State.LOST, "host_gone", hosts.RUN_DIED)


def test_labs_of_a_dead_host_stay_where_no_other_has_room():
    dead, full = make_host("dead", answered_s_ago=1000), make_host("full", capacity_labs=0)
    lab = make_lab(dead, Lab.State.READY)
    hosts.move_labs_to(full)
    lab.refresh_from_db()
    assert (lab.state, lab.host) == (Lab.State.READY, dead)


def test_a_run_that_waits_for_a_draining_host_goes_to_another():
    draining, well = make_host("draining", is_draining=True), make_host("well")
    waiting = make_lab(draining, Lab.State.ABSENT)
    make_run(waiting.owner, state=Run.State.QUEUED)
    at_rest = make_lab(draining, Lab.State.ABSENT, "bob")
    started = make_lab(draining, Lab.State.READY, "cem")
    hosts.move_labs_to(well)
    assert list(Lab.objects.filter(host=None)) == [waiting]
    assert set(Lab.objects.filter(host=draining)) == {at_rest, started}


def test_a_run_stays_with_a_host_whose_worker_is_still_to_come():
    coming, well = Host.objects.create(name="coming"), make_host("well")
    waiting = make_lab(coming, Lab.State.ABSENT)
    make_run(waiting.owner, state=Run.State.QUEUED)
    hosts.move_labs_to(well)
    waiting.refresh_from_db()
    assert waiting.host == coming


def test_a_lab_that_is_started_on_another_host_is_elsewhere(settings):
    here, there = make_host(settings.LAB_HOST), make_host("there")
    assert hosts.is_elsewhere(make_lab(there, Lab.State.READY))
    assert not hosts.is_elsewhere(make_lab(there, Lab.State.ABSENT, "bob"))
    assert not hosts.is_elsewhere(make_lab(here, Lab.State.READY, "cem"))
    assert not hosts.is_elsewhere(make_lab(None, Lab.State.ABSENT, "dan"))


def stays_as_it_is(lab):
    before = lab.state, lab.container_id, lab.generation
    lab.refresh_from_db()
    return (lab.state, lab.container_id, lab.generation) == before


@pytest.mark.parametrize("state", [Lab.State.READY, Lab.State.PAUSED])
def test_what_this_hosts_engine_does_not_know_is_not_gone_on_another_host(state):
    lab = make_lab(make_host("there"), state)
    with pytest.raises(hosts.Elsewhere):
        keeper.find_ready(lab)
    assert stays_as_it_is(lab)


def test_a_lab_that_stops_on_another_host_is_left_for_its_worker_to_save():
    lab = make_lab(make_host("there"), Lab.State.STOPPING)
    keeper.stop_lab(lab.pk)
    assert stays_as_it_is(lab)


def test_a_wish_that_was_rung_for_before_a_host_took_its_lab_is_passed_on_untouched():
    lab = make_lab(None, Lab.State.ABSENT)
    wish = request_restart(lab, actor=lab.owner)
    Lab.objects.filter(pk=lab.pk).update(host=make_host("there"), state=Lab.State.READY)
    fulfil_wish(wish.pk)
    lab.refresh_from_db()
    wish.refresh_from_db()
    assert (wish.state, wish.lease_owner, wish.generation) == ("queued", "", None)
    assert (lab.state, lab.container_id) == (Lab.State.READY, "c1")


def test_a_lab_that_another_host_has_just_taken_is_not_taken_for_a_muster(settings):
    here, there = make_host(settings.LAB_HOST), make_host("there")
    lab = make_lab(None, Lab.State.ABSENT)
    Lab.objects.filter(pk=lab.pk).update(host=there)
    assert not lifecycle.assign_host(lab, here)
    lab.refresh_from_db()
    assert lab.host == there


def test_a_muster_of_a_lab_that_another_host_has_is_left_to_its_worker():
    lab = make_lab(make_host("there"), Lab.State.READY)
    musters.request_muster([lab.owner], actor=lab.owner)
    musters.carry_out(lab.muster.pk)
    assert Muster.objects.get().state == Muster.State.WAITING
    assert stays_as_it_is(lab)
