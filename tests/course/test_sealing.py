"""A hand-in waits for its files, is sealed, or is given up in words: never half of one."""

from __future__ import annotations

import gzip
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from course.answers import save_answer
from course.assignments import change_assignment
from course.classrooms import add_member
from course.handins import attempts_left, read_manifest
from course.library import get_lesson
from course.models import HandIn
from course.sealing import GIVE_UP, seal_if_ready, seal_waiting
from course.tasks import seal_hand_ins
from labs.lifecycle import lab_of
from labs.models import Blob, Checkpoint, Lab, Wish
from labs.refusal import Refused
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_handin,
    make_user,
)
from tests.markup import words_of
from tests.settings import WHOLE_SCHEDULE

pytestmark = [pytest.mark.django_db, pytest.mark.core]


@pytest.fixture
def assignment(teacher, student):
    return make_assignment(make_classroom(teacher=teacher, students=[student]))


def test_it_waits_for_the_files_of_a_lab_that_runs_and_takes_those(student, assignment):
    lab = lab_of(student)
    make_checkpoint(lab, {"notes.txt": "before"})
    Lab.objects.filter(pk=lab.pk).update(state=Lab.State.READY)
    handin = make_handin(student, assignment, {"animal": "Quokka"})
    assert (handin.state, handin.sha256) == (HandIn.State.COLLECTING, "")
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="animal", text="heron")
    saved = make_checkpoint(lab, {"notes.txt": "fresh"}, cause=Checkpoint.Cause.HAND_IN)
    Wish.objects.filter(pk=handin.files_wish_id).update(state=Wish.State.DONE, result=saved)
    handin = seal_if_ready(HandIn.objects.get(pk=handin.pk))
    manifest = read_manifest(handin)
    assert handin.state == HandIn.State.HANDED_IN
    assert manifest["workspace"]["sha256"] == saved.blob_id
    assert manifest["answers"]["animal"]["text"] == "Quokka"


def test_a_lab_that_never_answers_holds_up_nobody_and_the_last_files_are_taken(student, assignment):
    lab = lab_of(student)
    before = make_checkpoint(lab, {"notes.txt": "before"})
    Lab.objects.filter(pk=lab.pk).update(state=Lab.State.READY)
    handin = make_handin(student, assignment, {})
    make_checkpoint(lab, {"notes.txt": "long after"})
    HandIn.objects.filter(pk=handin.pk).update(files_until_at=handin.handed_in_at)
    handin = seal_if_ready(HandIn.objects.get(pk=handin.pk))
    assert read_manifest(handin)["workspace"]["sha256"] == before.blob_id
    assert handin.checkpoint.cause == Checkpoint.Cause.HAND_IN


def test_one_hand_in_at_a_time_waits_for_files(student, assignment):
    Lab.objects.filter(pk=lab_of(student).pk).update(state=Lab.State.READY)
    first = make_handin(student, assignment, {"animal": "heron"})
    with pytest.raises(Refused, match="still waiting for your files"):
        make_handin(student, assignment, {"animal": "Quokka"})
    HandIn.objects.filter(pk=first.pk).update(files_until_at=first.handed_in_at)
    make_handin(student, assignment, {"animal": "Quokka"})
    assert [h.state for h in HandIn.objects.order_by("attempt")] == ["handed_in", "collecting"]


def test_a_hand_in_that_cant_be_read_back_is_not_handed_in_and_holds_up_nobody(student, assignment):
    lab = lab_of(student)
    make_checkpoint(lab, {"notes.txt": "kept"})
    Lab.objects.filter(pk=lab.pk).update(state=Lab.State.READY)
    handin = make_handin(student, assignment, {})
    HandIn.objects.filter(pk=handin.pk).update(files_until_at=handin.handed_in_at)
    Blob.objects.update(gzipped=gzip.compress(b"other"))
    handin = seal_if_ready(HandIn.objects.get(pk=handin.pk))
    assert (handin.state, handin.sha256) == (HandIn.State.COLLECTING, "")
    assert not handin.marks.exists()


@pytest.fixture
def waiting(student, assignment):
    """Handed in, and its lab has not saved its files yet."""
    lab = lab_of(student)
    make_checkpoint(lab, {"notes.txt": "kept"})
    Lab.objects.filter(pk=lab.pk).update(state=Lab.State.READY)
    return make_handin(student, assignment, {"animal": "Quokka"})


def be_overdue(handin, by=timedelta()):
    HandIn.objects.filter(pk=handin.pk).update(files_until_at=timezone.now() - by)


def test_a_hand_in_that_nobody_looks_at_is_completed_all_the_same(waiting):
    assert seal_waiting() == 0
    be_overdue(waiting)
    seal_hand_ins()
    waiting.refresh_from_db()
    assert waiting.state == HandIn.State.HANDED_IN
    assert waiting.marks.get(step="gap:animal").verdict == "right"


def test_the_beat_looks_for_hand_ins_that_wait():
    entry = WHOLE_SCHEDULE["hand-ins"]
    assert entry["task"] == seal_hand_ins.name
    assert entry["schedule"].run_every <= timedelta(seconds=10)


def test_what_can_never_be_read_back_is_given_up_in_words(client, waiting, teacher, student):
    Blob.objects.update(gzipped=gzip.compress(b"other"))
    be_overdue(waiting, GIVE_UP - timedelta(minutes=1))
    assert seal_waiting() == 0
    be_overdue(waiting, GIVE_UP + timedelta(minutes=1))
    assert seal_waiting() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.sha256) == (HandIn.State.FAILED, "")
    assert not waiting.marks.exists()
    client.force_login(student)
    page = words_of(client.get(reverse("course:handin-detail", args=[waiting.pk])))
    assert "it doesn't count. That is the site's fault, not yours." in page
    assert "Hand in again now." in page
    client.force_login(teacher)
    overview = reverse("course:assignment-detail", args=[waiting.assignment_id])
    assert "These hand-ins could not be kept" in words_of(client.get(overview))


def test_what_was_given_up_takes_no_attempt_and_is_handed_in_again(waiting, student, assignment):
    change_assignment(assignment=assignment, fields={"attempts": 1})
    HandIn.objects.update(state=HandIn.State.FAILED)
    Lab.objects.update(state=Lab.State.ABSENT)
    assert attempts_left(assignment, student) == 1
    assert make_handin(student, assignment, {}).state == HandIn.State.HANDED_IN
    assert attempts_left(assignment, student) == 0


def test_one_that_can_not_be_read_back_holds_up_no_other(waiting, teacher, assignment):
    other = make_user("bob")
    add_member(classroom=assignment.classroom, user=other, role="student")
    Lab.objects.filter(pk=lab_of(other).pk).update(state=Lab.State.READY)
    second = make_handin(other, assignment, {})
    Blob.objects.update(gzipped=gzip.compress(b"other"))
    be_overdue(waiting)
    be_overdue(second)
    assert seal_waiting() == 1
    second.refresh_from_db()
    assert second.state == HandIn.State.HANDED_IN
