"""Each move of a run, and who may make it."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from labs import runs
from labs.command import Command
from labs.engine.base import LabStatus, Output
from labs.lifecycle import lab_of
from labs.models import OutputChunk, Run
from labs.refusal import Refused
from tests.factories import make_exit, make_run, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.core]

STATUS = LabStatus("1", 3, "c0ffee", "running", "sha256:1", "")


def create(owner, key=None):
    return runs.create_run(
        owner=owner,
        key=key or uuid.uuid4(),
        lab=lab_of(owner),
        command=Command(argv=("true",)),
        line="docker exec agent true",
        origin="checkpoints#resume",
        origin_version="v1",
        time_limit_s=60,
    )


def leased(run):
    """The run as the worker w1 holds it."""
    assert take(run, "w1")
    return run


def take(run, worker):
    found = runs.find_free(run.pk)
    is_ours = found is not None and runs.take_lease(found, worker=worker)
    run.refresh_from_db()
    return is_ours


def test_a_new_run_is_queued_and_held_by_nobody():
    run = create(make_user())
    assert (run.state, run.lease_owner) == (Run.State.QUEUED, "")


def test_a_second_run_is_refused_in_words_while_one_is_not_over():
    owner = make_user()
    create(owner)
    with pytest.raises(Refused, match="still running in your lab"):
        create(owner)
    assert Run.objects.count() == 1


def test_the_same_key_gives_the_same_run():
    owner, key = make_user(), uuid.uuid4()
    assert create(owner, key) == create(owner, key)


def test_two_people_may_use_the_same_key():
    key = uuid.uuid4()
    assert create(make_user(), key) != create(make_user(), key)


def test_only_one_worker_gets_the_lease():
    run = make_run(make_user())
    first, second = runs.find_free(run.pk), runs.find_free(run.pk)
    assert runs.take_lease(first, worker="w1")
    assert not runs.take_lease(second, worker="w2")
    assert runs.find_free(run.pk) is None


def test_a_lease_that_has_run_out_may_be_taken():
    run = make_run(
        make_user(), lease_owner="dead", lease_until_at=timezone.now() - timedelta(seconds=1)
    )
    assert take(run, "w2")
    assert run.lease_owner == "w2"


def test_a_run_that_is_over_is_never_leased():
    run = make_run(make_user(), state=Run.State.LOST)
    assert not take(run, "w1")


def test_a_worker_that_lost_its_lease_moves_nothing():
    run = leased(make_run(make_user()))
    Run.objects.update(lease_owner="w2")
    assert not runs.mark_starting(run, status=STATUS)
    assert not runs.renew_lease(run)
    assert Run.objects.get().state == Run.State.QUEUED


def test_a_run_whose_lab_is_ready_is_taken_and_marked_as_starting_in_one_move():
    run = make_run(make_user())
    first, second = runs.find_free(run.pk), runs.find_free(run.pk)
    assert runs.take_lease(first, worker="w1", ready=STATUS)
    assert not runs.take_lease(second, worker="w2", ready=STATUS)
    stored = Run.objects.get()
    assert (stored.state, stored.container_id, stored.lease_owner) == (
        Run.State.STARTING,
        "c0ffee",
        "w1",
    )


def test_a_run_that_has_begun_elsewhere_is_not_marked_anew():
    run = make_run(make_user(), state=Run.State.RUNNING, container_id="first")
    assert runs.take_lease(runs.find_free(run.pk), worker="w1", ready=STATUS)
    assert Run.objects.get().container_id == "first"


def test_which_lab_will_be_asked_is_written_before_it_is():
    run = leased(make_run(make_user()))
    assert runs.mark_starting(run, status=STATUS)
    stored = Run.objects.get()
    assert (stored.state, stored.lab_generation, stored.container_id, stored.image) == (
        Run.State.STARTING,
        3,
        "c0ffee",
        "sha256:1",
    )


def test_a_run_starts_only_once():
    run = leased(make_run(make_user()))
    assert runs.mark_starting(run, status=STATUS)
    assert not runs.mark_starting(run, status=STATUS)


def test_a_chunk_that_comes_twice_is_stored_once():
    run = leased(make_run(make_user(), state=Run.State.RUNNING))
    for _ in range(2):
        runs.add_output(run, [Output(0, "stdout", 0.0, b"one")])
        runs.add_output(run, [Output(3, "stderr", 0.1, b"two")])
    assert [bytes(c.data) for c in OutputChunk.objects.all()] == [b"one", b"two"]
    assert Run.objects.get().output_offset == 6


def test_output_is_kept_as_the_bytes_that_came():
    run = leased(make_run(make_user(), state=Run.State.RUNNING))
    runs.add_output(run, [Output(0, "stdout", 0.0, bytes(range(256)))])
    assert bytes(OutputChunk.objects.get().data) == bytes(range(256))


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("exited", Run.State.FINISHED),
        ("signalled", Run.State.FINISHED),
        ("not_started", Run.State.FINISHED),
        ("timed_out", Run.State.TIMED_OUT),
        ("stopped", Run.State.STOPPED),
        ("output_limit", Run.State.STOPPED),
    ],
)
def test_how_a_run_ended_decides_its_state(reason, state):
    run = make_run(make_user(), state=Run.State.RUNNING)
    assert runs.finish_run(run, make_exit(reason=reason))
    stored = Run.objects.get()
    assert (stored.state, stored.reason, stored.lease_owner) == (state, reason, "")


def test_the_first_receipt_stays():
    run = make_run(make_user(), state=Run.State.RUNNING)
    runs.finish_run(run, make_exit(exit_code=1))
    assert not runs.finish_run(run, make_exit(exit_code=0))
    assert not runs.lose_run(run, reason="lab_gone", detail="…")
    assert Run.objects.get().exit_code == 1


def test_a_run_that_has_moved_on_since_it_was_read_is_not_lost():
    run = make_run(make_user())
    Run.objects.update(state=Run.State.STARTING)
    assert not runs.lose_run(run, reason="never_started", detail="…")
    assert Run.objects.get().state == Run.State.STARTING


def test_a_failing_program_is_a_result():
    run = make_run(make_user(), state=Run.State.RUNNING)
    runs.finish_run(run, make_exit(exit_code=1))
    assert Run.objects.get().state == Run.State.FINISHED


def test_the_next_run_may_come_when_one_is_over():
    owner = make_user()
    runs.finish_run(create(owner), make_exit())
    assert create(owner).state == Run.State.QUEUED


def test_a_released_run_says_why_it_waits_and_may_be_taken_at_once():
    run = leased(make_run(make_user()))
    runs.release_lease(run, waiting_for="The lab machine does not answer.")
    assert Run.objects.get().waiting_for == "The lab machine does not answer."
    assert take(run, "w2")
