"""What a person may ask of labs, and when the answer is no."""

from __future__ import annotations

import uuid

import pytest

from labs.models import AuditEntry, Lab, Run
from labs.refusal import Refused
from labs.requests import request_run, request_stop_lab, request_stop_run
from tests.factories import make_admin, make_finished_run, make_run, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.core]

LINE = "docker exec -w /home/node/project agent node batch1.js"


def ask(owner, line=LINE, key=None):
    return request_run(owner=owner, key=key or uuid.uuid4(), line=line, origin="checkpoints#resume")


def test_a_press_becomes_a_queued_run_of_the_parsed_command():
    run = ask(make_user())
    assert run.state == Run.State.QUEUED
    assert run.argv == ["node", "batch1.js"]
    assert run.workdir == "/home/node/project"
    assert run.command == LINE


def test_a_second_press_with_the_same_key_is_the_same_run_even_when_it_is_over():
    owner, key = make_user(), uuid.uuid4()
    run = ask(owner, key=key)
    Run.objects.update(state=Run.State.FINISHED)
    assert ask(owner, key=key) == run


def test_the_same_key_with_another_command_is_refused():
    owner, key = make_user(), uuid.uuid4()
    ask(owner, key=key)
    with pytest.raises(Refused, match="Reload it"):
        ask(owner, line="docker exec agent true", key=key)


def test_a_command_that_cannot_run_here_is_refused_and_leaves_no_row():
    with pytest.raises(Refused):
        ask(make_user(), line="docker run --rm debian true")
    assert not Run.objects.exists()


def test_more_than_thirty_runs_a_minute_are_refused_in_words():
    owner = make_user()
    for _ in range(30):
        make_finished_run(owner, output=b"")
    with pytest.raises(Refused, match="30 times within a minute"):
        ask(owner)


def test_other_peoples_runs_do_not_count():
    busy = make_user()
    for _ in range(30):
        make_finished_run(busy, output=b"")
    assert ask(make_user()).state == Run.State.QUEUED


def test_a_wish_to_stop_is_kept_on_the_row():
    run = make_run(make_user(), state=Run.State.RUNNING)
    request_stop_run(run)
    run.refresh_from_db()
    assert (run.state, run.stop_asked_at is not None) == (Run.State.RUNNING, True)


def test_a_run_that_no_lab_was_asked_for_stops_at_once_without_any_worker():
    run = make_run(make_user())
    request_stop_run(run)
    assert Run.objects.get().state == Run.State.STOPPED


@pytest.mark.parametrize(("asked", "kept"), [(-5, 1), (0, 1), (20, 20), (9_999, 600)])
def test_a_time_limit_is_held_within_bounds(asked, kept):
    run = request_run(
        owner=make_user(), key=uuid.uuid4(), line=LINE, origin="x", time_limit_s=asked
    )
    assert run.time_limit_s == kept


def test_stopping_a_run_that_is_over_changes_nothing():
    run = make_finished_run(make_user())
    request_stop_run(run)
    run.refresh_from_db()
    assert (run.state, run.stop_asked_at) == (Run.State.FINISHED, None)


def test_stopping_a_lab_is_audited_once():
    run = make_finished_run(make_user())
    Lab.objects.update(state=Lab.State.READY)
    admin = make_admin()
    request_stop_lab(run.lab, actor=admin)
    request_stop_lab(run.lab, actor=admin)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.subject) == (admin, "stop lab", f"lab {run.lab_id}")
    assert Lab.objects.get().state == Lab.State.STOPPING
