"""Beside each run: what its block expects, and where its output differs from the example."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from course.library import get_lesson
from labs.lifecycle import mark_unsaved
from labs.models import Run
from tests.factories import make_checkpoint, make_classroom, make_finished_run, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}
BLOCK_OF_THE_CRASH = reverse("course:block-detail", args=["checkpoints", "crash"])
HELLO = "docker exec agent echo hello from the lab"
CRASHED = b"""\
Done so far: nothing
Interrupted at: nothing
A1: done
A2: done
Crash while working on A3
"""


@pytest.fixture
def student(client):
    student = make_user()
    client.force_login(student)
    return student


def make_hello(student, output=b"hello from the lab\n", **fields):
    return make_finished_run(student, output, **{"origin": "tiny#hello", "command": HELLO} | fields)


def make_crash(student, **fields):
    """A run of the crash that printed what it should."""
    command = get_lesson("checkpoints").blocks["crash"].command
    expected = {"origin": "checkpoints#crash", "command": command, "exit_code": 1}
    return make_finished_run(student, CRASHED, **expected | fields)


def outcome(client, block_id="hello", lesson="tiny"):
    """The block's outcome, as it comes when a run has ended."""
    block = reverse("course:block-detail", args=[lesson, block_id])
    return client.get(block, **HTMX)


def ticks_of(response):
    return [tick.words for tick in elements(response, "li", class_="tick")]


def test_a_run_like_the_example_is_said_to_be_the_same(client, student):
    make_hello(student)
    response = outcome(client)
    assert ticks_of(response) == ["✓ Yes: ends with exit code 0", "✓ Yes: prints hello"]
    same = "Same as the example."
    assert element(response, class_="comparison").words == same


def test_a_difference_is_shown_line_by_line_with_its_spaces_and_in_words(client, student):
    make_hello(student, b"hello from  the lab\n<b>more</b>\n", exit_code=3)
    response = outcome(client)
    assert ticks_of(response) == ["✗ No: ends with exit code 0", "✓ Yes: prints hello"]
    said = element(response, "details", class_="comparison").words
    lines = [line.words for line in elements(response, "span", class_="difference-extra")]
    assert lines == [
        "+ Not in the example: hello·from··the·lab",
        "+ Not in the example: <b>more</b>",
    ]
    missing = element(response, "span", class_="difference-missing").words
    assert missing == "− Missing: hello·from·the·lab"
    assert "1 line of it missing, 2 lines not in it" in said


@pytest.mark.parametrize(("output", "is_open"), [(CRASHED[:50], True), (b"no such file\n", False)])
def test_a_difference_is_unfolded_where_something_is_as_in_the_example(
    client, student, output, is_open
):
    command = get_lesson("checkpoints").blocks["crash"].command
    make_finished_run(student, output, origin="checkpoints#crash", command=command)
    shown = element(outcome(client, "crash", "checkpoints"), "details", class_="comparison")
    assert ("open" in shown.attrs) == is_open


def test_a_check_that_does_not_hold_is_told_in_words_too(client, student):
    make_hello(student, b"bye\n")
    assert "✗ No: prints hello" in ticks_of(outcome(client))


def test_a_block_without_an_example_has_only_ticks(client, student):
    command = get_lesson("tiny").blocks["fails"].command
    make_finished_run(student, b"oh\n", origin="tiny#fails", command=command, exit_code=1)
    response = outcome(client, "fails")
    assert ticks_of(response) == ["✓ Yes: ends with exit code 1"]
    assert not elements(response, class_="comparison")


@pytest.mark.parametrize(
    "fields",
    [
        {"state": Run.State.RUNNING},
        {"state": Run.State.LOST, "exit_code": None},
        {"command": "docker exec agent echo as it was before"},
    ],
    ids=["while it runs", "when it is lost", "after its command was changed"],
)
def test_a_run_that_says_nothing_about_the_block_is_not_judged(client, student, fields):
    make_hello(student, **fields)
    response = outcome(client)
    assert elements(response, class_="run")
    assert not elements(response, class_="outcome")


def test_files_are_checked_in_what_the_run_left(client, student):
    run = make_crash(student)
    make_checkpoint(run.lab, {"demo/charges.log": "A1\nA2\nA3\n"}, run=run)
    assert "✓ Yes: file demo/charges.log has 3 lines" in ticks_of(
        outcome(client, "crash", "checkpoints")
    )


def test_a_file_that_is_not_as_it_should_be_is_told(client, student):
    run = make_crash(student)
    make_checkpoint(run.lab, {"demo/charges.log": "A1\n"}, run=run)
    assert "✗ No: file demo/charges.log has 3 lines" in ticks_of(
        outcome(client, "crash", "checkpoints")
    )


def test_while_files_are_being_saved_the_block_asks_again_by_itself(client, student):
    run = make_crash(student, ended_at=timezone.now() + timedelta(seconds=5))
    mark_unsaved(run.lab)
    response = outcome(client, "crash", "checkpoints")
    assert "… file demo/charges.log has 3 lines: checking …" in ticks_of(response)
    asks = element(response, id="outcome-crash").attrs
    assert (asks["hx-get"], asks["hx-trigger"]) == (BLOCK_OF_THE_CRASH, "load delay:1s")


def test_files_that_were_never_saved_are_not_asked_for_for_ever(client, student):
    long_ago = timezone.now() - timedelta(hours=1)
    run = make_crash(student, ended_at=long_ago)
    mark_unsaved(run.lab)
    type(run.lab).objects.update(unsaved_since_at=long_ago)
    response = outcome(client, "crash", "checkpoints")
    assert "… file demo/charges.log has 3 lines: not checked" in ticks_of(response)
    assert "hx-get" not in element(response, id="outcome-crash").attrs


def test_the_lesson_and_the_list_of_runs_judge_every_run(client, student):
    make_hello(student, b"bye\n")
    make_hello(student)
    assert "✓ Yes: prints hello" in ticks_of(client.get("/lessons/tiny/"))
    runs = client.get(reverse("course:block-run-list", args=["tiny", "hello"]))
    assert [tick for tick in ticks_of(runs) if "prints" in tick] == [
        "✓ Yes: prints hello",
        "✗ No: prints hello",
    ]


def test_a_teacher_sees_what_became_of_each_run(client):
    teacher, student = make_user(), make_user()
    classroom = make_classroom(teacher=teacher, students=[student])
    make_hello(student, b"bye\n")
    make_finished_run(student, origin="tiny#a-block-of-last-year")
    client.force_login(teacher)
    response = client.get(reverse("course:student-work", args=[classroom.pk, student.username]))
    assert ticks_of(response) == ["✓ Yes: ends with exit code 0", "✗ No: prints hello"]
    assert "Differs from the example" in words_of(response)


def test_an_output_that_the_page_folds_is_judged_whole(client, student):
    lines = b"line\n" * 3_000
    make_hello(student, lines[:7_500] + b"hello\n" + lines[7_500:])
    response = outcome(client)
    assert "✓ Yes: prints hello" in ticks_of(response)
    assert "Only the first lines were compared." in element(response, id="block-hello").words


def test_a_press_never_looks_at_files(client, student):
    earlier = make_crash(student)
    make_checkpoint(earlier.lab, {"demo/charges.log": "A1\nA2\nA3\n"}, run=earlier)
    press = reverse("course:block-run", args=["checkpoints", "crash"])
    with CaptureQueriesContext(connection) as queries:
        client.post(press, {"key": str(uuid.uuid4())}, **HTMX)
    assert Run.objects.active().count() == 1
    assert [query["sql"] for query in queries if "labs_checkpoint" in query["sql"]] == []


def test_a_lesson_takes_as_many_queries_for_ten_runs_of_each_command_as_for_one(client, student):
    def queries_of_the_lesson():
        blocks = get_lesson("checkpoints").for_track("node").blocks.values()
        for block in blocks:
            run = make_finished_run(
                student, origin=f"checkpoints#{block.id}", command=block.command
            )
            make_checkpoint(run.lab, {"note": "the same"}, run=run)
        with CaptureQueriesContext(connection) as queries:
            client.get("/lessons/checkpoints/")
        return len(queries)

    queries_of_the_lesson()
    counts = [queries_of_the_lesson() for _ in range(10)]
    assert set(counts) == {10}
