"""Quiet labs are paused, woken, stopped; never one in which something goes on."""

from __future__ import annotations

import subprocess
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from labs import lifecycle, pauses
from labs.engines import get_engine
from labs.lifecycle import this_host
from labs.models import Host, Lab, Run
from labs.notice import notice_of
from labs.receipts import output_of
from tests.engine_fixtures import wait_until
from tests.factories import make_finished_run, make_run, make_user
from tests.markup import elements, words_of
from tests.site_fixtures import await_output, await_run, press_run

WRITE = "docker exec agent sh -c 'echo kept > note'"
READ = "docker exec agent cat note"


def be_quiet(lab, minutes):
    Lab.objects.filter(pk=lab.pk).update(active_at=timezone.now() - timedelta(minutes=minutes))
    lab.refresh_from_db()


def await_saved(run):
    wait_until(lambda: Lab.objects.filter(pk=run.lab_id, unsaved_since_at=None).exists())
    run.lab.refresh_from_db()
    return run.lab


def make_quiet_lab(minutes=11, **fields):
    lab = lifecycle.lab_of(make_user())
    fields = {"state": "ready", "host": this_host(), "container_id": "c"} | fields
    Lab.objects.filter(pk=lab.pk).update(**fields)
    be_quiet(lab, minutes)
    return lab


@pytest.mark.docker
@pytest.mark.django_db(transaction=True)
def test_a_quiet_lab_is_paused_and_the_next_run_wakes_it_where_it_was(press):
    lab = await_saved(press(make_user(), WRITE))
    be_quiet(lab, 11)
    pauses.settle_quiet_labs(this_host())
    lab.refresh_from_db()
    assert lab.state == Lab.State.PAUSED
    wait_until(lambda: get_engine().inspect_lab(lab.container_id).is_paused)
    again = press(lab.owner, READ)
    assert (output_of(again), again.lab_generation) == (b"kept\n", 1)


@pytest.mark.docker
@pytest.mark.django_db(transaction=True)
def test_a_lab_that_is_quiet_for_long_is_saved_stopped_and_says_so(press):
    lab = await_saved(press(make_user(), WRITE))
    be_quiet(lab, 11)
    pauses.settle_quiet_labs(this_host())
    be_quiet(lab, 61)
    pauses.settle_quiet_labs(this_host())
    wait_until(lambda: Lab.objects.get(pk=lab.pk).state == Lab.State.ABSENT)
    assert Lab.objects.get(pk=lab.pk).reason == pauses.stopped_words()
    assert get_engine().find_lab(str(lab.pk)) is None
    again = press(lab.owner, READ)
    assert (output_of(again), again.lab_generation) == (b"kept\n", 2)


@pytest.mark.docker
@pytest.mark.django_db(transaction=True)
def test_a_lab_that_was_started_anew_by_hand_gets_its_files_back(press):
    lab = await_saved(press(make_user(), WRITE))
    # in its middle the sweep may remove the lab: then there is none to start anew
    subprocess.run(["docker", "restart", lab.container_id], check=False, capture_output=True)
    again = press(lab.owner, READ)
    assert (output_of(again), again.lab_generation) == (b"kept\n", 2)


@pytest.mark.docker
@pytest.mark.django_db(transaction=True)
def test_a_run_waits_for_a_place_in_words_and_a_quiet_lab_makes_it(press):
    lab = await_saved(press(make_user(), WRITE))
    Host.objects.update(capacity_labs=Lab.objects.filter(state__in=Lab.STARTED).count())
    try:
        waiting = press_run(make_user(), "docker exec agent echo hi")
        wait_until(lambda: Run.objects.get(pk=waiting.pk).waiting_for)
        assert "number 1 in the line" in Run.objects.get(pk=waiting.pk).waiting_for
        be_quiet(lab, 4)
        assert output_of(await_run(waiting)) == b"hi\n"
    finally:
        Host.objects.update(capacity_labs=None)
    assert Lab.objects.get(pk=lab.pk).reason == pauses.made_room_words()


@pytest.mark.docker
@pytest.mark.django_db(transaction=True)
def test_a_lab_with_a_live_run_is_neither_paused_nor_stopped(press, worker):
    run = press_run(make_user(), "docker exec agent sh -c 'echo begun; exec sleep 60'")
    await_output(run, b"begun\n")
    run.lab.refresh_from_db()
    be_quiet(run.lab, 300)
    pauses.settle_quiet_labs(this_host())
    assert Lab.objects.get(pk=run.lab_id).state == Lab.State.READY
    get_engine().link(run.lab.container_id).stop_run(str(run.pk))
    await_run(run)


@pytest.mark.django_db
@pytest.mark.parametrize("minutes", [0, 9])
def test_a_lab_that_was_used_lately_is_left_alone(minutes):
    lab = make_quiet_lab(minutes)
    since = timezone.now() - timedelta(minutes=10)
    assert not lifecycle.begin_pause(lab, quiet_since=since)
    assert not lifecycle.begin_quiet_stop(lab, quiet_since=since, reason="")


@pytest.mark.django_db
def test_a_run_that_waits_keeps_its_lab_awake_and_one_that_is_over_does_not():
    lab = make_quiet_lab()
    since = timezone.now() - timedelta(minutes=10)
    run = make_run(lab.owner, lab=lab)
    assert not lifecycle.begin_pause(lab, quiet_since=since)
    run.delete()
    make_finished_run(lab.owner, lab=lab)
    assert lifecycle.begin_pause(lab, quiet_since=since)


@pytest.mark.django_db
def test_a_lab_whose_files_are_not_saved_is_not_paused():
    lab = make_quiet_lab(unsaved_since_at=timezone.now())
    assert not lifecycle.begin_pause(lab, quiet_since=timezone.now())


@pytest.mark.django_db
def test_a_workspace_that_can_never_be_saved_keeps_no_lab_stopping_for_ever():
    lab = make_quiet_lab()
    lifecycle.begin_stop(lab)
    for _ in range(lifecycle.STOP_TRIES):
        lifecycle.note_failed_stop(lab, detail="tar: 2")
    lab.refresh_from_db()
    assert lifecycle.is_past_saving(lab)
    lifecycle.mark_absent(lab)
    lab.refresh_from_db()
    assert (lab.reason, lab.last_error) == (lifecycle.UNSAVED, "tar: 2")


# What its owner is told


@pytest.mark.parametrize(
    ("state", "quiet_minutes", "told"),
    [
        ("ready", 54, None),
        ("ready", 56, 4),
        ("paused", 58.5, 2),
        ("paused", 90, 1),
        ("absent", 90, None),
        ("stopping", 90, None),
    ],
)
def test_a_warning_is_given_in_the_last_minutes_of_a_started_lab(state, quiet_minutes, told):
    now = timezone.now()
    lab = Lab(state=state, active_at=now - timedelta(minutes=quiet_minutes))
    assert notice_of(lab, now).stops_in_minutes == told


@pytest.mark.django_db
def test_keep_it_begins_the_time_of_quiet_anew(client):
    lab = make_quiet_lab(57)
    client.force_login(lab.owner)
    page = client.get(reverse("labs:lab-notice"))
    assert "It stops in 3 minutes; your files are saved first." in words_of(page)
    assert [button.words for button in elements(page, "button")][-1] == "Keep it"
    after = client.post(reverse("labs:lab-keep"), follow=True)
    assert "It does not stop in the next minutes." in words_of(after)


@pytest.mark.django_db
def test_to_look_at_the_notice_is_no_use_of_the_lab(client):
    lab = make_quiet_lab(57)
    client.force_login(lab.owner)
    client.get(reverse("labs:lab-notice"), headers={"hx-request": "true"})
    assert Lab.objects.get(pk=lab.pk).active_at == lab.active_at
