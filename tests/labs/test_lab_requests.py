"""Wishes about a lab are rows: one change at a time, leased, and never twice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from labs import wishes
from labs.lab_requests import (
    MOST_IN_A_MINUTE,
    request_checkpoint,
    request_examination,
    request_reset,
    request_restart,
    request_restore,
    request_undo,
)
from labs.lifecycle import lab_of
from labs.models import AuditEntry, Checkpoint, Lab, Wish
from labs.refusal import Refused
from labs.wish_words import Outcome, words_of
from tests.factories import make_admin, make_checkpoint, make_run, make_user

pytestmark = [pytest.mark.core, pytest.mark.django_db]


@pytest.fixture
def lab():
    return lab_of(make_user("ada"))


def test_a_second_change_waits_for_the_first_to_be_over(lab):
    request_restart(lab, actor=lab.owner)
    with pytest.raises(Refused, match="Nothing more was done"):
        request_reset(lab, actor=lab.owner)
    assert Wish.objects.count() == 1


def test_a_look_into_the_lab_goes_beside_a_change_and_a_second_look_is_the_first(lab):
    request_restart(lab, actor=lab.owner)
    look = request_examination(lab, actor=lab.owner)
    assert request_examination(lab, actor=lab.owner) == look


def test_nobody_keeps_workers_busy_with_one_button(lab):
    for _ in range(MOST_IN_A_MINUTE):
        Wish.objects.filter(pk=request_restart(lab, actor=lab.owner).pk).update(state="done")
    with pytest.raises(Refused, match="Wait a minute"):
        request_restart(lab, actor=lab.owner)
    Wish.objects.update(asked_at=timezone.now() - timedelta(minutes=2))
    assert request_restart(lab, actor=lab.owner)


def test_files_are_not_changed_under_a_running_command(lab):
    checkpoint = make_checkpoint(lab, {"note": "a"})
    make_run(lab.owner)
    with pytest.raises(Refused, match="no file was changed"):
        request_restore(lab, actor=lab.owner, checkpoint=checkpoint)


def test_files_that_are_no_longer_kept_cannot_be_brought_back(lab):
    checkpoint = make_checkpoint(lab, {"note": "a"})
    Checkpoint.objects.update(blob=None)
    checkpoint.refresh_from_db()
    with pytest.raises(Refused, match="no longer kept"):
        request_restore(lab, actor=lab.owner, checkpoint=checkpoint)
    done = wishes.create_done(lab=lab, actor=lab.owner, kind="reset", before=checkpoint)
    with pytest.raises(Refused, match="no longer kept"):
        request_undo(done, actor=lab.owner)


def test_without_files_before_there_is_nothing_to_undo(lab):
    done = wishes.create_done(lab=lab, actor=lab.owner, kind="reset")
    with pytest.raises(Refused, match="nothing to undo"):
        request_undo(done, actor=lab.owner)


def test_a_hand_in_without_a_lab_takes_the_last_files_at_once(lab):
    last = make_checkpoint(lab, {"note": "a"})
    wish = request_checkpoint(lab.owner, cause=Checkpoint.Cause.HAND_IN)
    assert (wish.state, wish.result.cause) == ("done", "hand_in")
    assert (wish.result != last, wish.result.blob_id) == (True, last.blob_id)


def test_a_hand_in_of_somebody_who_never_had_files_has_none(lab):
    wish = request_checkpoint(lab.owner, cause=Checkpoint.Cause.HAND_IN)
    assert (wish.state, wish.result) == ("done", None)


def test_a_hand_in_asks_a_lab_that_runs(lab):
    Lab.objects.update(state=Lab.State.READY)
    assert request_checkpoint(lab.owner, cause=Checkpoint.Cause.HAND_IN).state == "queued"


def test_what_others_do_to_a_lab_is_audited_and_what_its_owner_does_is_not(lab):
    request_restart(lab, actor=lab.owner)
    assert not AuditEntry.objects.exists()
    Wish.objects.update(state="done")
    admin = make_admin()
    request_restart(lab, actor=admin)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.subject_name) == (admin, "restart lab", "ada")


def test_one_worker_holds_a_wish_until_its_lease_runs_out(lab):
    wish = request_restart(lab, actor=lab.owner)
    first, second = wishes.find_free(wish.pk), wishes.find_free(wish.pk)
    assert wishes.take_lease(first, worker="a:1:2:x")
    assert not wishes.take_lease(second, worker="b:1:2:x")
    assert wishes.find_free(wish.pk) is None
    Wish.objects.update(lease_until_at=timezone.now() - timedelta(seconds=1))
    assert wishes.take_lease(second, worker="b:1:2:x")
    assert not wishes.finish(first, outcome=Outcome.RESTARTED)
    assert wishes.finish(second, outcome=Outcome.RESTARTED)


def test_what_undo_brings_back_is_written_once(lab):
    early, late = make_checkpoint(lab, {"note": "a"}), make_checkpoint(lab, {"note": "b"})
    wish = wishes.find_free(request_reset(lab, actor=lab.owner).pk)
    wishes.take_lease(wish, worker="a:1:2:x")
    assert wishes.find_under_way(lab, "reset") is None
    assert wishes.note_before(wish, before=early)
    assert not wishes.note_before(wish, before=late)
    assert Wish.objects.get().before == early
    assert wishes.find_under_way(lab, "reset") == wish


def test_a_lab_that_started_anew_meanwhile_has_to_be_saved_again(lab):
    wish = wishes.find_free(request_reset(lab, actor=lab.owner).pk)
    wishes.take_lease(wish, worker="a:1:2:x")
    Lab.objects.update(generation=7)
    assert not wishes.note_before(wish, before=None)


def test_every_outcome_is_a_sentence():
    assert all(words_of(outcome).endswith(".") for outcome in Outcome.values)
    assert words_of("") == ""
