"""Answers on their way from the page to the rows, with and without script."""

from __future__ import annotations

import pytest
from django.urls import reverse

from course.answers import answers_of
from course.library import get_lesson
from course.models import Answer
from course.models.answers import MAX_ANSWER_CHARS
from tests.factories import make_user
from tests.markup import element, elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

HTMX = {"HTTP_HX_REQUEST": "true"}
SAVE_ALL = reverse("course:answers-save", args=["tiny"])
TOO_LONG = "x" * (MAX_ANSWER_CHARS + 1)


@pytest.fixture
def student(client):
    student = make_user()
    client.force_login(student)
    return student


def save(client, gap_id, text, **headers):
    path = reverse("course:gap-save", args=["tiny", gap_id])
    return client.post(path, {f"gap.{gap_id}": text}, **headers)


def saved(student):
    return answers_of(student, get_lesson("tiny"))


def test_an_answer_is_kept_as_it_was_typed_and_the_page_says_saved(client, student):
    response = save(client, "animal", "  Quokka?\n<b> ", **HTMX)
    assert saved(student) == {"animal": "  Quokka?\n<b> "}
    assert element(response, id="gap-animal-status").words == "saved"


def test_saving_brings_what_is_left_up_to_date_in_the_same_answer(client, student):
    left = element(save(client, "animal", "cat", **HTMX), id="what-is-left")
    assert "1 of 3 cells filled in" in left.words
    assert left.attrs["hx-swap-oob"] == "true"


def test_saving_again_replaces_and_an_empty_answer_empties_the_cell(client, student):
    save(client, "animal", "cat", **HTMX)
    save(client, "animal", "dog", **HTMX)
    assert saved(student) == {"animal": "dog"}
    save(client, "animal", "", **HTMX)
    assert saved(student) == {"animal": ""}
    assert Answer.objects.count() == 1


def test_an_answer_remembers_which_version_of_the_lesson_it_was_for(client, student):
    save(client, "animal", "cat", **HTMX)
    assert Answer.objects.get().lesson_version == get_lesson("tiny").version


def test_a_refused_answer_says_why_and_keeps_the_old_one(client, student):
    save(client, "animal", "cat", **HTMX)
    response = save(client, "animal", TOO_LONG, **HTMX)
    assert response.status_code == 200
    said = element(response, id="gap-animal-status").words
    assert "this answer has 2,001 characters" in said
    assert saved(student) == {"animal": "cat"}


def test_an_answer_with_a_nul_is_no_request_that_a_browser_makes_and_the_old_one_stays(
    client, student
):
    save(client, "animal", "cat", **HTMX)
    assert save(client, "animal", "a\0b", **HTMX).status_code == 400
    assert saved(student) == {"animal": "cat"}


def test_an_answer_of_exactly_the_longest_length_is_kept(client, student):
    save(client, "animal", TOO_LONG[1:], **HTMX)
    assert len(saved(student)["animal"]) == MAX_ANSWER_CHARS


def test_a_line_end_counts_once_however_the_browser_sends_it(client, student):
    typed = "\n".join(["x"] * (MAX_ANSWER_CHARS // 2))
    sent = typed.replace("\n", "\r\n")
    save(client, "animal", sent, **HTMX)
    client.post(SAVE_ALL, {"gap.own-words": sent})
    assert saved(student) == {"animal": typed, "own-words": typed}


def test_saving_all_again_with_other_line_ends_changes_no_answer(client, student):
    save(client, "animal", "one\ntwo", **HTMX)
    before = Answer.objects.get().saved_at
    client.post(SAVE_ALL, {"gap.animal": "one\r\ntwo"})
    assert Answer.objects.get().saved_at == before


def test_an_old_page_does_not_undo_what_was_written_on_another_one_since(client, student):
    save(client, "animal", "written on the phone", **HTMX)
    client.post(
        SAVE_ALL,
        {"gap.animal": "", "shown.animal": "", "gap.own-words": "new", "shown.own-words": "old"},
    )
    assert saved(student) == {"animal": "written on the phone", "own-words": "new"}


def test_a_cell_may_be_emptied_without_script(client, student):
    save(client, "animal", "cat", **HTMX)
    client.post(SAVE_ALL, {"gap.animal": "", "shown.animal": "cat"})
    assert saved(student) == {"animal": ""}


def test_the_page_tells_what_it_showed_in_each_cell(client, student):
    save(client, "animal", "one\ntwo", **HTMX)
    shown = element(client.get("/lessons/tiny/"), "input", name="shown.animal")
    assert (shown.attrs["value"], shown.attrs["form"]) == ("one\ntwo", "answers")


def test_who_is_logged_out_comes_back_to_the_lesson_and_reads_that_nothing_was_saved(client):
    response = client.post(SAVE_ALL, {"gap.animal": "cat"}, follow=True)
    assert response.redirect_chain == [("/accounts/login/?next=/lessons/tiny/", 302)]
    assert "was not saved" in words_of(response)
    assert not Answer.objects.exists()


def test_a_gap_that_is_not_in_the_lesson_is_not_found(client, student):
    assert save(client, "nothing", "x").status_code == 404
    path = reverse("course:gap-save", args=["nothing", "animal"])
    assert client.post(path, {"gap.animal": "x"}).status_code == 404
    assert not Answer.objects.exists()


def test_a_request_without_the_gap_changes_nothing(client, student):
    save(client, "animal", "cat", **HTMX)
    response = client.post(reverse("course:gap-save", args=["tiny", "animal"]), {}, **HTMX)
    assert response.status_code == 404
    assert saved(student) == {"animal": "cat"}


def test_a_visitor_logs_in_first_and_nothing_is_saved(client):
    response = save(client, "animal", "cat")
    assert response["Location"].startswith("/accounts/login/")
    assert not Answer.objects.exists()


def test_nobody_writes_into_the_answers_of_another(client, student):
    other = make_user()
    save(client, "animal", "cat", **HTMX)
    assert saved(other) == {}


def test_without_script_all_answers_are_saved_at_once_and_the_page_says_so(client, student):
    sent = {"gap.animal": "cat", "gap.own-words": "mine", "gap.colour": "blue"}
    response = client.post(SAVE_ALL, sent, follow=True)
    assert response.redirect_chain == [("/lessons/tiny/?saved#answers-saved", 302)]
    assert "All your answers are saved." in words_of(response)
    assert saved(student) == {"animal": "cat", "own-words": "mine", "colour": "blue"}


def test_without_script_only_what_was_on_the_page_is_touched(client, student):
    save(client, "animal", "cat", **HTMX)
    client.post(SAVE_ALL, {"gap.colour": "blue", "gap.nothing": "x", "csrfmiddlewaretoken": "y"})
    assert saved(student) == {"animal": "cat", "colour": "blue"}


def test_without_script_one_bad_answer_keeps_all_that_was_saved_and_says_which(client, student):
    save(client, "animal", "cat", **HTMX)
    response = client.post(SAVE_ALL, {"gap.animal": TOO_LONG, "gap.colour": "blue"})
    assert response.status_code == 200
    words = element(response, role="alert").words
    assert "name the animal" in words or "Answer: A cell with a key" in words
    assert "this answer has 2,001 characters" in words
    assert saved(student) == {"animal": "cat"}


def test_the_save_button_works_for_every_gap_without_script(client, student):
    response = client.get("/lessons/tiny/")
    button = element(response, "button", form="answers")
    assert button.words == "Save all answers"
    assert element(response, "form", id="answers").attrs["action"] == SAVE_ALL
    assert len(elements(response, class_="gap-input", form="answers")) == 3


def save_over(client, gap_id, text, shown, **headers):
    """Saves a cell whose page still shows `shown`."""
    path = reverse("course:gap-save", args=["tiny", gap_id])
    return client.post(path, {f"gap.{gap_id}": text, f"shown.{gap_id}": shown}, **headers)


def test_what_another_tab_has_saved_since_is_kept_and_both_are_shown(client, student):
    save(client, "animal", "from the phone", **HTMX)
    response = save_over(client, "animal", "from the desk", "", **HTMX)
    assert saved(student) == {"animal": "from the phone"}
    status = element(response, id="gap-animal-status")
    assert status.attrs["data-theirs"] == "from the phone"
    assert "changed somewhere else" in status.words


def test_who_has_seen_the_other_answer_may_replace_it(client, student):
    save(client, "animal", "from the phone", **HTMX)
    save_over(client, "animal", "from the desk", "from the phone", **HTMX)
    assert saved(student) == {"animal": "from the desk"}


def test_the_same_answer_from_two_tabs_is_no_conflict(client, student):
    save(client, "animal", "cat", **HTMX)
    response = save_over(client, "animal", "cat", "", **HTMX)
    assert element(response, id="gap-animal-status").words == "saved"


def test_without_script_both_are_shown_too_and_everything_else_is_saved(client, student):
    save(client, "animal", "from the phone")
    sent = {"gap.animal": "from the desk", "shown.animal": "", "gap.own-words": "mine"}
    response = client.post(SAVE_ALL, sent)
    assert saved(student) == {"animal": "from the phone", "own-words": "mine"}
    assert element(response, "textarea").words == "from the desk"
    assert "from the phone" in words_of(response)
    shown = element(response, "input", name="shown.animal").attrs["value"]
    client.post(SAVE_ALL, {"gap.animal": "both", "shown.animal": shown})
    assert saved(student)["animal"] == "both"
