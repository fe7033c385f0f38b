"""How many labs a host holds, who waits, and when what failed is tried again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from labs import lifecycle, room, troubles
from labs.engine.base import DiskFull, EngineDown, EngineError, ImageMissing, NameTaken
from labs.lifecycle import backoff_s, begin_start, lab_of, mark_failed, mark_ready
from labs.manager import ENGINE_TROUBLE
from labs.models import Host, Lab
from labs.room import Capacity, NotYet, capacity_of, count_free, estimate_s, require_place
from tests.factories import make_run, make_user

MIB = 2**20
LAB = 256 * MIB


@pytest.fixture
def host(db):
    return Host.objects.create(name="small", memory_bytes=4096 * MIB, capacity_labs=2)


def make_lab(host, state="absent", **fields):
    lab = lab_of(make_user())
    Lab.objects.filter(pk=lab.pk).update(host=host, state=state, memory_bytes=LAB, **fields)
    lab.refresh_from_db()
    return lab


@pytest.mark.parametrize(
    ("labs", "memory_bytes", "free"),
    [
        (0, 0, 4),
        (3, 3 * LAB, 1),
        (4, 4 * LAB, 0),
        (5, 5 * LAB, 0),
        (1, 9 * LAB, 1),
        (1, 10 * LAB, 0),
    ],
)
def test_places_end_with_the_labs_or_with_the_memory(labs, memory_bytes, free):
    capacity = Capacity(labs=4, memory_bytes=10 * LAB)
    assert count_free(capacity, labs=labs, memory_bytes=memory_bytes, need_bytes=LAB) == free


def test_a_hosts_own_capacity_goes_before_the_settings(settings):
    settings.LAB_MEMORY_SHARE, settings.LAB_MAX_STARTED = 2.0, 7
    told = Host(memory_bytes=1000)
    assert capacity_of(told) == Capacity(7, 2000)
    assert capacity_of(Host(memory_bytes=1000, capacity_bytes=5, capacity_labs=0)).labs == 0
    assert capacity_of(Host(memory_bytes=1000, is_draining=True)) == Capacity(0, 0)


def test_a_lab_starts_where_there_is_a_place(host):
    make_lab(host, "ready")
    assert begin_start(make_lab(host), host=host, memory_bytes=LAB)


@pytest.mark.parametrize("state", ["starting", "ready", "paused", "stopping"])
def test_every_state_with_a_container_takes_a_place(host, state):
    make_lab(host, state)
    make_lab(host, state)
    with pytest.raises(NotYet, match="number 1 in the line"):
        begin_start(make_lab(host), host=host, memory_bytes=LAB)


def test_who_asked_earlier_comes_first(host):
    make_lab(host, "ready")
    earlier, later = make_lab(host), make_lab(host)
    now = timezone.now()
    make_run(earlier.owner, lab=earlier, queued_at=now - timedelta(minutes=1))
    make_run(later.owner, lab=later, queued_at=now)
    with pytest.raises(NotYet, match="number 1 in the line"):
        require_place(later, host, need_bytes=LAB)
    require_place(earlier, host, need_bytes=LAB)


def test_who_has_just_failed_holds_nobody_up(host):
    make_lab(host, "ready")
    now = timezone.now()
    failed = make_lab(host, "failed", retry_at=now + timedelta(minutes=1))
    make_run(failed.owner, lab=failed, queued_at=now - timedelta(minutes=1))
    later = make_lab(host)
    make_run(later.owner, lab=later)
    require_place(later, host, need_bytes=LAB)


def test_a_drained_host_says_that_it_is_emptied(host):
    Host.objects.update(is_draining=True)
    with pytest.raises(NotYet, match="maintenance"):
        begin_start(make_lab(host), host=host, memory_bytes=LAB)


def test_an_estimate_counts_from_the_longest_quiet_lab(settings):
    settings.LAB_MAKE_ROOM_AFTER_S = 180
    now = timezone.now()
    active_ats = [now, now - timedelta(seconds=100)]
    estimates = [estimate_s(place, active_ats, now) for place in (1, 2, 3)]
    assert estimates == [80, 180, 260]
    assert estimate_s(1, [], now) == 180


def test_a_lab_that_fails_is_tried_again_ever_more_rarely():
    assert [backoff_s(failures) for failures in range(1, 9)] == [0, 5, 10, 20, 40, 60, 60, 60]


def test_a_lab_that_failed_twice_waits_and_says_why(host):
    lab = make_lab(host)
    for _ in range(2):
        assert begin_start(lab, host=host, memory_bytes=LAB)
        mark_failed(lab, reason="The disk is full.", detail="ENOSPC")
    with pytest.raises(NotYet, match=r"The disk is full\. Your run is kept"):
        begin_start(lab, host=host, memory_bytes=LAB)
    assert (lab.failures, lab.last_error) == (2, "ENOSPC")


def test_somebodys_care_and_a_good_start_end_the_waiting(host):
    lab = make_lab(host, "failed", failures=5, retry_at=timezone.now() + timedelta(minutes=1))
    lifecycle.try_again_now(lab)
    lab.refresh_from_db()
    assert begin_start(lab, host=host, memory_bytes=LAB)
    assert mark_ready(lab, container_id="c", image="i")
    assert (lab.failures, lab.retry_at) == (0, None)


def test_a_try_that_costs_nothing_is_not_put_off(host):
    lab = make_lab(host, failures=5)
    begin_start(lab, host=host, memory_bytes=LAB)
    mark_failed(lab, reason="Nobody answers.", is_patient=False)
    assert begin_start(lab, host=host, memory_bytes=LAB)


@pytest.mark.parametrize("kind", [EngineDown, ImageMissing, DiskFull, NameTaken, EngineError])
def test_every_trouble_has_words_of_its_own_that_name_no_engine(kind):
    words = troubles.waiting_words(kind("docker: 500"))
    assert "docker" not in words
    assert words.endswith("Your run is kept and starts by itself.")


def test_the_words_for_an_engine_that_is_down_are_those_of_the_run():
    assert troubles.waiting_words(EngineDown("x")) == ENGINE_TROUBLE


def test_what_can_not_start_yet_speaks_for_itself():
    assert troubles.waiting_words(NotYet("You are number 3.")) == "You are number 3."


def test_waiting_runs_are_those_whose_lab_has_to_start(host):
    ready, absent, elsewhere = make_lab(host, "ready"), make_lab(host), make_lab(None)
    runs = [make_run(lab.owner, lab=lab) for lab in (ready, absent, elsewhere)]
    assert room.waiting_runs(host) == runs[1:]
