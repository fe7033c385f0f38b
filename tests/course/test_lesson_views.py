"""The lesson's page for each kind of reader, and the teacher guide."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from course.answers import save_answer
from course.library import get_lesson
from labs.models import Run
from tests.factories import make_classroom, make_finished_run, make_run, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

INVITATION = "Create a free account to press Run, or to type it into your own lab’s terminal."
LESSON = reverse("course:lesson-detail", args=["tiny"])
GUIDE = reverse("course:guide-detail", args=["tiny"])
QUERIES_AT_MOST = 10


@pytest.fixture
def student(client):
    student = make_user()
    client.force_login(student)
    return student


def buttons_of(response):
    return [button.words for button in elements(response, "button")]


def test_a_visitor_reads_everything_as_a_preview(client):
    response = client.get(LESSON)
    assert "This is a preview." in words_of(response)
    titles = [heading.words for heading in elements(response, "h3", class_="block-title")]
    assert titles == ["Say hello", "Print colours", "Count slowly", "Fail on purpose"]
    assert "docker exec agent echo hello from the lab" in words_of(response)


def test_a_visitor_can_neither_fill_in_nor_run_nor_save(client):
    response = client.get(LESSON)
    gaps = elements(response, class_="gap-input")
    assert len(gaps) == 3
    assert all("disabled" in gap.attrs and "hx-post" not in gap.attrs for gap in gaps)
    assert buttons_of(response).count("Copy") == 4
    of_the_panel = {"Hide this panel", "Show contents and lab", "Close"}
    assert set(buttons_of(response)) == {"Copy", "Use these"} | of_the_panel


def test_a_visitor_is_invited_at_each_command_and_comes_back_to_it(client):
    response = client.get(LESSON)
    back = "/accounts/signup/?next=/lessons/tiny/%23block-slow"
    assert element(response, "a", href=back).words == INVITATION
    assert words_of(response).count("Shown here, not run.") == 4


def test_the_lesson_says_which_lab_it_needs_and_where_it_comes_from(client):
    kicker = element(client.get(LESSON), class_="kicker").words
    assert kicker.endswith("Test lab: written for the tests of this site")


def test_a_teacher_finds_the_guide_on_the_lesson_itself_and_a_student_does_not(client, student):
    assert elements(client.get(LESSON), "a", href=GUIDE) == []
    client.force_login(make_user(may_teach=True))
    assert element(client.get(LESSON), "a", href=GUIDE).words == "Teacher guide of this lesson"


def test_a_student_finds_every_gap_with_a_name_and_their_own_answer_in_it(client, student):
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="animal", text="<b>\n a quokka")
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="colour", text="green")
    response = client.get(LESSON)
    assert element(response, "textarea", name="gap.animal").text == "\n<b>\n a quokka"
    (chosen,) = [o for o in elements(response, "option") if "selected" in o.attrs]
    assert chosen.words == "green"


def test_every_gap_is_named_for_those_who_hear_the_page(client, student):
    response = client.get(LESSON)
    labels = {
        label.attrs["for"]: label.words
        for label in elements(response, "label", class_="visually-hidden")
    }
    assert labels == {
        "gap-own-words-input": "Answer: A cell of a teacher",
        "gap-animal-input": "Answer: A cell with a key",
        "gap-colour-input": "Answer: A cell with choices",
    }
    assert {gap.attrs["id"] for gap in elements(response, class_="gap-input")} == set(labels)


def test_a_student_opens_the_hint_of_a_gap_when_they_want_it(client, student):
    hints = elements(client.get(LESSON), "details", class_="gap-hint")
    assert [(hint.words, hint.attrs.get("open")) for hint in hints] == [
        ("Hint: Answer: A cell of a teacher Nothing here is wrong.", None),
        ("Hint: Answer: A cell with a key It is small and it smiles.", None),
        ("Hint: Answer: A cell with choices Grass has it.", None),
    ]


def test_another_reader_never_sees_an_answer_or_a_run(client, student):
    other = make_user()
    save_answer(user=other, lesson=get_lesson("tiny"), gap_id="animal", text="a secret animal")
    make_finished_run(other, b"a secret output\n", origin="tiny#hello")
    page = words_of(client.get(LESSON))
    assert "secret" not in page


def test_a_student_sees_the_newest_run_of_each_command(client, student):
    make_finished_run(student, b"the old one\n", origin="tiny#hello")
    make_finished_run(student, b"the new one\n", origin="tiny#hello", duration_s=1.25)
    make_finished_run(student, b"oh\n", origin="tiny#fails", exit_code=1)
    response = client.get(LESSON)
    assert "the new one" in words_of(response)
    assert "the old one" not in words_of(response)
    states = [state.words for state in elements(response, class_="run-state")]
    assert states == ["Finished, exit code 0", "Finished, exit code 1"]
    assert "1.25 s" in words_of(response)


def test_a_run_that_goes_on_has_stop_instead_of_run_and_a_stream(client, student):
    run = make_run(student, origin="tiny#slow", state=Run.State.RUNNING)
    response = client.get(LESSON)
    assert elements(response, "form", action=f"/runs/{run.pk}/stop/")
    assert element(response, id=f"run-{run.pk}").attrs["data-run-stream"] == (
        f"/streams/runs/{run.pk}/?lang=en"
    )
    assert [words for words in buttons_of(response) if words.startswith(("Run", "Stop"))] == [
        "Run: Say hello",
        "Run: Print colours",
        "Stop",
        "Run: Fail on purpose",
    ]


def test_each_visit_gives_each_button_a_press_of_its_own(client, student):
    def keys():
        return [e.attrs["value"] for e in elements(client.get(LESSON), "input", name="key")]

    assert len({*keys(), *keys()}) == 8


def test_what_is_left_counts_filled_cells_and_commands_that_were_run(client, student):
    for gap_id, text in [("animal", "cat"), ("own-words", "   ")]:
        save_answer(user=student, lesson=get_lesson("tiny"), gap_id=gap_id, text=text)
    make_finished_run(student, origin="tiny#hello")
    make_finished_run(student, origin="tiny#hello")
    left = element(client.get(LESSON), id="what-is-left").words
    assert "1 of 3 cells filled in" in left
    assert "1 of 4 commands run" in left


def test_a_lesson_that_is_not_there_is_not_found(client):
    assert client.get(reverse("course:lesson-detail", args=["nothing"])).status_code == 404
    assert client.get("/lessons/..%2Ftiny/").status_code == 404


def test_a_lesson_takes_as_many_queries_however_much_was_run(client, student):
    for block_id in ("hello", "colours", "slow", "fails"):
        make_finished_run(student, origin=f"tiny#{block_id}")
    few = queries_of(client)
    for number in range(40):
        make_finished_run(student, origin=f"tiny#{('hello', 'fails')[number % 2]}")
    assert queries_of(client) == few <= QUERIES_AT_MOST


def queries_of(client):
    with CaptureQueriesContext(connection) as queries:
        client.get(LESSON)
    return len(queries)


def test_a_teacher_reads_the_guide_with_answers_and_samples(client):
    teacher = make_user()
    make_classroom(teacher=teacher, students=[])
    client.force_login(teacher)
    page = words_of(client.get(GUIDE))
    assert "Only those who teach may read about the walrus in the guide." in page
    assert "quokka" in page
    assert "The heron waits on one leg for a teacher." in page


def test_a_student_is_told_that_the_guide_is_not_for_them(client, student):
    response = client.get(GUIDE)
    assert response.status_code == 403
    assert "The teacher guide is for teachers of a class. Nothing was changed." in words_of(
        response
    )
    assert "walrus" not in words_of(response)


def test_a_visitor_who_wants_the_guide_logs_in_first(client):
    response = client.get(GUIDE)
    assert response["Location"] == f"/accounts/login/?next={GUIDE}"
