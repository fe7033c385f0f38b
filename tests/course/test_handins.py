"""A hand-in freezes work under one hash: what it holds, when it counts, and what can't touch it."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from course.answers import save_answer
from course.assignments import change_assignment, dates_for, give_extension, lateness_of
from course.handins import (
    MOST_IN_AN_HOUR,
    attempts_left,
    content_of,
    hand_in,
    next_attempt,
    read_manifest,
    withdraw,
)
from course.library import get_lesson
from course.manifests import Damaged, hash_of
from course.models import HandIn, Manifest
from labs.lifecycle import lab_of
from labs.models import Blob, Checkpoint, OutputChunk, TerminalSession
from labs.refusal import Refused
from labs.terminals import Taken, remove_old_recordings, store_piece
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
)
from tests.markup import elements

pytestmark = [pytest.mark.django_db, pytest.mark.core]

HELLO = "docker exec agent echo hello from the lab"


@pytest.fixture
def assignment(teacher, student):
    return make_assignment(make_classroom(teacher=teacher, students=[student]))


def change_answer(student, text):
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="animal", text=text)


def test_a_hand_in_holds_answers_newest_runs_files_version_and_image(student, assignment):
    make_finished_run(student, b"old\n", origin="tiny#hello", command=HELLO)
    run = make_finished_run(
        student, b"hello\xff\n", origin="tiny#hello", command=HELLO, image="sha256:abc"
    )
    files = make_checkpoint(lab_of(student), {"notes.txt": "kept"})
    manifest = read_manifest(make_handin(student, assignment, {"animal": "Quokka"}))
    assert manifest["answers"]["animal"]["text"] == "Quokka"
    assert manifest["receipts"]["hello"]["run"] == str(run.pk)
    assert manifest["receipts"]["hello"]["runs"] == 2
    assert manifest["images"] == ["sha256:abc"]
    assert manifest["workspace"]["sha256"] == files.blob_id
    assert manifest["lesson_version"] == get_lesson("tiny").version


def test_an_output_comes_back_byte_by_byte(student, assignment):
    written = bytes(range(256))
    make_finished_run(student, written, origin="tiny#hello", command=HELLO)
    handin = make_handin(student, assignment, {})
    assert content_of(handin).receipts["hello"].output == written


def test_the_hash_is_of_the_canonical_text(student, assignment):
    handin = make_handin(student, assignment, {"animal": "Quokka — é"})
    data = gzip.decompress(bytes(handin.manifest.gzipped))
    assert hash_of(data) == handin.sha256
    assert data.decode() == json.dumps(
        json.loads(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


def test_later_work_doesnt_touch_what_was_handed_in(student, assignment):
    run = make_finished_run(student, b"hello from the lab\n", origin="tiny#hello", command=HELLO)
    make_checkpoint(lab_of(student), {"notes.txt": "then"})
    handin = make_handin(student, assignment, {"animal": "Quokka"})
    before = read_manifest(handin)
    change_answer(student, "heron")
    OutputChunk.objects.filter(run=run).delete()
    run.delete()
    make_checkpoint(lab_of(student), {"notes.txt": "now"})
    assert read_manifest(HandIn.objects.get(pk=handin.pk)) == before


@pytest.mark.parametrize("what", ["manifest", "workspace", "workspace is gone"])
def test_what_no_longer_has_its_hash_is_never_shown_as_handed_in(student, assignment, what):
    make_checkpoint(lab_of(student), {"notes.txt": "kept"})
    handin = make_handin(student, assignment, {"animal": "Quokka"})
    spoil = {
        "manifest": lambda: Manifest.objects.filter(pk=handin.pk).update(
            gzipped=gzip.compress(
                gzip.decompress(bytes(handin.manifest.gzipped)).replace(b"Quokka", b"Wombat")
            )
        ),
        "workspace": lambda: Blob.objects.update(gzipped=gzip.compress(b"other")),
        "workspace is gone": lambda: (
            Checkpoint.objects.all().delete(),
            Blob.objects.all().delete(),
        ),
    }
    spoil[what]()
    with pytest.raises(Damaged):
        read_manifest(HandIn.objects.get(pk=handin.pk))


def test_the_same_press_twice_is_one_hand_in(student, assignment):
    first = hand_in(student=student, assignment=assignment, attempt=1)
    again = hand_in(student=student, assignment=assignment, attempt=1)
    assert (first.pk, HandIn.objects.count()) == (again.pk, 1)


def test_a_page_that_is_out_of_date_hands_nothing_in(student, assignment):
    with pytest.raises(Refused, match="out of date"):
        hand_in(student=student, assignment=assignment, attempt=5)


def test_the_last_attempt_counts_and_the_ones_before_are_kept(student, assignment):
    first = make_handin(student, assignment, {"animal": "heron"})
    second = make_handin(student, assignment, {"animal": "Quokka"})
    assert list(HandIn.objects.counting()) == [second]
    assert content_of(HandIn.objects.get(pk=first.pk)).answers["animal"] == "heron"


def test_attempts_are_counted_without_those_taken_back(student, assignment):
    change_assignment(assignment=assignment, fields={"attempts": 1})
    withdraw(make_handin(student, assignment, {}), now=timezone.now())
    assert attempts_left(assignment, student) == 1
    make_handin(student, assignment, {})
    with pytest.raises(Refused, match="used all your attempts"):
        make_handin(student, assignment, {})


def test_withdrawn_until_it_is_due_and_the_one_before_counts_again(student, assignment):
    first = make_handin(student, assignment, {"animal": "heron"})
    second = make_handin(student, assignment, {"animal": "Quokka"})
    withdraw(second, now=timezone.now())
    assert list(HandIn.objects.counting()) == [first]
    assert next_attempt(assignment, student) == 3


def test_after_the_due_time_nothing_is_withdrawn(student, assignment):
    handin = make_handin(student, assignment, {})
    with pytest.raises(Refused, match="can't be withdrawn any more"):
        withdraw(handin, now=assignment.due_at + timedelta(seconds=1))
    assert list(HandIn.objects.counting()) == [handin]


def test_an_extension_lets_withdraw_and_hand_in_longer(student, teacher, assignment):
    now = timezone.now()
    fields = {"due_at": now - timedelta(hours=2), "closes_at": now - timedelta(hours=1)}
    change_assignment(assignment=assignment, fields=fields)
    with pytest.raises(Refused, match="closed"):
        make_handin(student, assignment, {})
    give_extension(
        assignment=assignment,
        student=student,
        due_at=now + timedelta(hours=1),
        reason="ill",
        teacher=teacher,
    )
    handin = make_handin(student, assignment, {})
    dates = dates_for(assignment, student)
    assert not lateness_of(assignment, dates, handin.handed_in_at).is_late
    withdraw(handin, now=timezone.now())


def test_before_it_opens_nothing_is_handed_in(student, assignment):
    later = timezone.now() + timedelta(minutes=5)
    change_assignment(assignment=assignment, fields={"opens_at": later})
    with pytest.raises(Refused, match="not open yet"):
        make_handin(student, assignment, {})


def test_a_hand_in_names_the_recordings_that_there_were_then(client, student, assignment):
    session = make_terminal(student, "$ echo hi\r\nhi\r\n")
    make_terminal(student, "", number=2)
    handin = make_handin(student, assignment, {})
    (named,) = read_manifest(handin)["recordings"]
    assert (named["id"], named["seconds"]) == (str(session.pk), 0.5)
    store_piece(session, Taken(session.recorded_offset, 99, 9.0, '[9.0, "o", "later"]\n'))
    assert read_manifest(HandIn.objects.get(pk=handin.pk))["recordings"] == [named]
    client.force_login(student)
    page = client.get(reverse("course:handin-detail", args=[handin.pk]))
    assert elements(page, "a", href=reverse("labs:terminal-replay", args=[session.pk]))


def test_a_recording_from_before_the_assignment_is_none_of_its_business(student, assignment):
    make_terminal(
        student,
        "$ old\r\n",
        state="closed",
        closed_at=assignment.opens_at - timedelta(days=1),
    )
    assert read_manifest(make_handin(student, assignment, {}))["recordings"] == []


def test_a_recording_that_was_changed_is_not_shown_as_handed_in(student, assignment):
    session = make_terminal(student, "$ echo hi\r\nhi\r\n")
    handin = make_handin(student, assignment, {})
    session.pieces.update(lines='[0.5, "o", "forged"]\n')
    with pytest.raises(Damaged):
        read_manifest(HandIn.objects.get(pk=handin.pk))


def test_retention_keeps_the_recordings_of_a_hand_in_as_long_as_it_is(student, assignment):
    long_ago = timezone.now() - timedelta(days=settings.TERMINAL_RECORDING_DAYS + 1)
    kept = make_terminal(student, "$ echo hi\r\n")
    make_terminal(student, "$ other\r\n", number=2, state="closed", closed_at=long_ago)
    assignment.opens_at = timezone.now() - timedelta(days=1)
    assignment.save()
    handin = make_handin(student, assignment, {})
    TerminalSession.objects.filter(pk=kept.pk).update(state="closed", closed_at=long_ago)
    remove_old_recordings()
    assert list(TerminalSession.objects.all()) == [kept]
    assert read_manifest(HandIn.objects.get(pk=handin.pk))["recordings"]
    handin.delete()
    remove_old_recordings()
    assert not TerminalSession.objects.exists()


def test_a_class_that_keeps_no_files_and_runs_gets_none(student, assignment):
    change_assignment(assignment=assignment, fields={"records_files": False, "records_runs": False})
    make_finished_run(student, origin="tiny#hello", command=HELLO)
    make_checkpoint(lab_of(student), {"notes.txt": "private"})
    manifest = read_manifest(make_handin(student, assignment, {}))
    assert (manifest["receipts"], manifest["workspace"]) == ({}, None)


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_the_same_moment_are_one_hand_in(student, assignment):
    def press(_):
        try:
            return hand_in(student=student, assignment=assignment, attempt=1).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        made = set(threads.map(press, range(4)))
    assert made == set(HandIn.objects.values_list("pk", flat=True))
    assert len(made) == 1


def test_handing_in_and_taking_back_without_end_fills_no_disk(student, assignment):
    for _ in range(MOST_IN_AN_HOUR):
        withdraw(make_handin(student, assignment, {}), now=timezone.now())
    with pytest.raises(Refused, match="Wait a while"):
        make_handin(student, assignment, {})
    HandIn.objects.update(handed_in_at=timezone.now() - timedelta(hours=2))
    assert make_handin(student, assignment, {})
