"""The lesson's page from its pieces: fresh where something changed, and everybody's own."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from course.answers import save_answer
from course.library import get_lesson
from labs.models import Run
from tests.factories import make_finished_run, make_run, make_user
from tests.markup import element, elements

pytestmark = [pytest.mark.django_db, pytest.mark.core]

LESSON = "/lessons/tiny/"


@pytest.fixture
def student(client):
    student = make_user()
    client.force_login(student)
    return student


def block_of(client, block_id):
    return element(client.get(LESSON), "section", id=f"block-{block_id}").words


def test_a_run_that_ends_is_seen_on_the_next_page(client, student):
    run = make_run(student, origin="tiny#hello", state=Run.State.RUNNING)
    assert "Running …" in block_of(client, "hello")
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.FINISHED, exit_code=3, reason="exited", duration_s=0.1
    )
    assert "Finished, exit code 3" in block_of(client, "hello")


def test_a_second_visit_reads_no_output_again(client, student):
    make_finished_run(student, b"hello\n", origin="tiny#hello")
    with CaptureQueriesContext(connection) as first:
        client.get(LESSON)
    with CaptureQueriesContext(connection) as second:
        client.get(LESSON)
    assert any("outputchunk" in query["sql"] for query in first.captured_queries)
    assert not any("outputchunk" in query["sql"] for query in second.captured_queries)


def test_two_readers_get_pages_that_differ_in_what_is_theirs(client, student):
    other = make_user()
    lesson = get_lesson("tiny")
    for user, text in [(student, "quince"), (other, "medlar")]:
        save_answer(user=user, lesson=lesson, gap_id="animal", text=text)
        make_finished_run(user, text.encode(), origin="tiny#hello")
    mine = client.get(LESSON).content.decode()
    client.force_login(other)
    theirs = client.get(LESSON).content.decode()
    assert ("quince" in mine, "medlar" in mine) == (True, False)
    assert ("quince" in theirs, "medlar" in theirs) == (False, True)


def test_what_a_reader_writes_is_text_wherever_it_stands(client, student):
    text = "</textarea><script>\"&amp;'</script>"
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="animal", text=text)
    response = client.get(LESSON)
    assert element(response, "textarea", name="gap.animal").text == f"\n{text}"
    assert element(response, "input", name="shown.animal").attrs["value"] == text


def test_a_choice_that_is_none_of_the_list_is_kept_until_another_is_made(client, student):
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="colour", text="mauve")
    response = client.get(LESSON)
    assert not [option for option in elements(response, "option") if "selected" in option.attrs]
    assert element(response, "input", name="shown.colour").attrs["value"] == "mauve"


def test_each_page_has_a_token_of_its_own_in_all_of_its_forms(client, student):
    def tokens():
        found = elements(client.get(LESSON), "input", name="csrfmiddlewaretoken")
        return {token.attrs["value"] for token in found}

    first, second = tokens(), tokens()
    assert all(len(token) == 64 for token in first | second)
    assert first.isdisjoint(second)
