"""The review page of one student: history, receipts, files, terminals, marks, neighbours."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from course.answers import STOOD_FOR, save_answer
from course.library import get_lesson
from course.models import AnswerEntry, Mark
from labs.audit import views_of
from labs.lifecycle import lab_of
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
    make_user,
)
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db
HELLO = "docker exec agent echo hello from the lab"


@pytest.fixture
def teacher():
    return make_user("frizzle")


@pytest.fixture
def ada():
    return make_user("ada", first_name="Ada")


@pytest.fixture
def assignment(teacher, ada):
    students = [ada, make_user("bob", first_name="Bob"), make_user("abe", first_name="Abe")]
    return make_assignment(make_classroom(teacher=teacher, students=students), records_files=False)


@pytest.fixture
def address(client, teacher, assignment):
    client.force_login(teacher)
    return reverse("course:review", args=[assignment.pk, "ada"])


def write(student, gap, text):
    return save_answer(user=student, lesson=get_lesson("tiny"), gap_id=gap, text=text)


def let_it_stand(student, for_so_long=STOOD_FOR):
    student.answers.update(saved_at=timezone.now() - for_so_long)


def earlier(student):
    return list(AnswerEntry.objects.filter(user=student).values_list("text", flat=True))


def test_what_an_answer_said_for_a_minute_is_kept_when_it_changes(ada):
    write(ada, "animal", "cow")
    let_it_stand(ada)
    write(ada, "animal", "cat")
    assert earlier(ada) == ["cow"]


def test_typing_on_keeps_nothing_and_costs_no_statement(ada, django_assert_num_queries):
    write(ada, "animal", "c")
    with django_assert_num_queries(4):
        write(ada, "animal", "ca")
    assert earlier(ada) == []


def test_the_same_answer_and_a_blank_one_are_no_history(ada):
    write(ada, "animal", "")
    let_it_stand(ada)
    write(ada, "animal", "cat")
    let_it_stand(ada)
    write(ada, "animal", "cat")
    assert earlier(ada) == []


def test_every_gap_shows_its_answer_why_it_is_marked_so_and_what_it_said_before(
    client, address, ada
):
    write(ada, "animal", "cow <i>")
    let_it_stand(ada)
    write(ada, "animal", "quokka")
    words = step(client.get(address), "gap:animal")
    assert "quokka" in words
    assert "This is an accepted answer." in words
    assert "1 earlier answer" in words
    assert "cow <i>" in words


def step(page, step_id):
    return element(page, "li", id=step_id).words


def test_what_was_handed_in_is_shown_where_the_student_went_on_writing(
    client, address, ada, assignment
):
    make_handin(ada, assignment, {"animal": "cow", "colour": "blue"})
    write(ada, "animal", "quokka")
    page = client.get(address)
    assert "Handed in: cow" in step(page, "gap:animal")
    assert "Handed in:" not in step(page, "gap:colour")


def test_receipts_come_with_output_and_difference_and_older_ones_are_linked(client, address, ada):
    for word in (b"one\n", b"two\n", b"three\n", b"four\n"):
        make_finished_run(ada, word, origin="tiny#hello", command=HELLO)
    words = step(client.get(address), "block:hello")
    assert "four" in words
    assert "Differs from the example" in words
    assert "1 older run" in words
    assert " one " not in words


def test_runs_of_commands_that_the_lesson_no_longer_has_are_not_lost(client, address, ada):
    run = make_finished_run(ada, origin="tiny#gone")
    page = client.get(address)
    assert "Commands that are not in this version" in words_of(page)
    assert elements(page, "a", href=reverse("labs:run-detail", args=[run.pk]))


def test_files_open_as_a_copy_and_recordings_are_linked(client, address, ada, assignment):
    checkpoint = make_checkpoint(lab_of(ada), {"job.js": "run()"})
    handin = make_handin(ada, assignment, {"animal": "cow"})
    handin.checkpoint = checkpoint
    handin.save()
    terminal = make_terminal(ada, "$ ls\r\n", state="closed")
    page = client.get(address)
    file = reverse("labs:file-detail", args=[checkpoint.lab_id, checkpoint.pk, "job.js"])
    replay = reverse("labs:terminal-replay", args=[terminal.pk])
    assert element(page, "a", href=file).words == "job.js"
    assert elements(page, "a", href=replay)


def test_neighbours_are_by_name_and_keep_the_step(client, address, assignment):
    page = client.get(address)
    assert "2 of 3" in words_of(page)
    bob = reverse("course:review", args=[assignment.pk, "bob"])
    abe = reverse("course:review", args=[assignment.pk, "abe"])
    assert elements(page, "a", href=f"{bob}#gap:animal", data_neighbour="next")
    assert elements(page, "a", href=f"{abe}#gap:animal", data_neighbour="previous")


def test_a_mark_is_given_and_the_page_comes_back_to_its_step(client, address, ada, assignment):
    make_handin(ada, assignment, {"own-words": "The heron."})
    sent = {"step": "gap:own-words", "version": "1", "points": "2.5", "comment": "well said"}
    response = client.post(address, sent)
    assert response["Location"] == f"{address}#gap:own-words"
    mark = Mark.objects.get(step="gap:own-words")
    assert (mark.hundredths, mark.comment) == (250, "well said")
    assert "given 2.5 of 4" in words_of(client.get(address))


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"points": "9", "version": "1"}, "Give a number from 0 to 4"),
        ({"points": "many", "version": "1"}, "Give a number from 0 to 4"),
        ({"points": "3", "version": "0"}, "Meanwhile this was marked"),
    ],
    ids=["too many", "no number", "somebody was faster"],
)
def test_a_mark_that_can_not_be_given_is_refused_at_its_step_with_what_was_typed(
    client, address, ada, assignment, sent, words
):
    make_handin(ada, assignment, {"own-words": "The heron."})
    page = client.post(address, {"step": "gap:own-words", "comment": "kept"} | sent)
    assert page.status_code == 200
    assert words in step(page, "gap:own-words")
    assert "kept" in step(page, "gap:own-words")
    assert Mark.objects.get(step="gap:own-words").verdict == "waiting"


def test_a_step_of_nobody_and_a_student_of_another_class_are_not_there(
    client, address, ada, assignment
):
    assert client.post(address, {"step": "gap:animal"}).status_code == 404
    make_user("cyd")
    other = reverse("course:review", args=[assignment.pk, "cyd"])
    assert client.get(other).status_code == 404


def test_looking_is_written_down_where_the_student_can_read_it(client, address, ada):
    client.get(address)
    assert [view.actor_name for view in views_of(ada)] == ["frizzle"]


def test_the_page_costs_as_many_queries_for_many_runs_as_for_few(
    client, address, ada, django_assert_max_num_queries
):
    for number in range(12):
        at = timezone.now() - timedelta(minutes=number)
        make_finished_run(ada, b"no\n", origin="tiny#hello", command=HELLO, queued_at=at)
        make_finished_run(ada, b"no\n", origin="tiny#colours", queued_at=at)
    client.get(address)
    with django_assert_max_num_queries(24):
        client.get(address)
