"""Reading a lesson in one of its languages: chosen by a button, kept in a cookie."""

from __future__ import annotations

import pytest
from django.urls import reverse

from course.answers import save_answer
from course.library import get_lesson
from tests.factories import make_finished_run, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

LESSON = reverse("course:lesson-detail", args=["checkpoints"])
CHOOSE = reverse("course:track-choose", args=["checkpoints"])


def choose(client, track):
    return client.post(CHOOSE, {"track": track})


def block_ids_of(response):
    sections = elements(response, "section", class_="block")
    return [section.attrs["id"].removeprefix("block-") for section in sections]


def pressed_of(response):
    group = element(response, "form", action=CHOOSE)
    buttons = [b for b in elements(response, "button") if b.attrs.get("name") == "track"]
    assert group.words.startswith("Programs in")
    return {button.words: button.attrs["aria-pressed"] for button in buttons}


def test_a_reader_begins_in_the_lessons_first_track(client):
    response = client.get(LESSON)
    assert block_ids_of(response) == ["write-record", "write-job", "crash", "resume"]
    assert pressed_of(response) == {"Node.js": "true", "Python": "false"}


def test_a_choice_leads_back_to_the_lesson_in_the_other_language(client):
    assert choose(client, "python")["Location"] == LESSON
    response = client.get(LESSON)
    assert block_ids_of(response) == [
        "write-record-python",
        "write-job-python",
        "crash-python",
        "resume-python",
        "torn-straight",
        "torn-beside",
    ]
    assert pressed_of(response) == {"Node.js": "false", "Python": "true"}
    assert "node batch1.js" not in words_of(response)


def test_a_choice_holds_after_log_in_and_can_be_taken_back(client):
    choose(client, "python")
    client.force_login(make_user())
    assert "crash-python" in block_ids_of(client.get(LESSON))
    choose(client, "node")
    assert "crash-python" not in block_ids_of(client.get(LESSON))


def test_what_is_left_counts_what_the_reader_sees(client):
    student = make_user()
    client.force_login(student)
    for block_id in ("crash", "crash-python", "resume-python"):
        make_finished_run(student, origin=f"checkpoints#{block_id}")
    save_answer(user=student, lesson=get_lesson("checkpoints"), gap_id="word-resume", text="go on")
    assert "1 of 4 commands run" in element(client.get(LESSON), id="what-is-left").words
    choose(client, "python")
    left = element(client.get(LESSON), id="what-is-left").words
    assert "2 of 6 commands run" in left
    assert "1 of 12 cells filled in" in left


def test_the_end_of_a_run_counts_in_the_readers_track(client):
    student = make_user()
    client.force_login(student)
    choose(client, "python")
    make_finished_run(student, origin="checkpoints#crash-python")
    block = reverse("course:block-detail", args=["checkpoints", "crash-python"])
    response = client.get(block, HTTP_HX_REQUEST="true")
    assert "1 of 6 commands run" in element(response, id="what-is-left").words


def test_the_front_page_and_the_lesson_say_how_many_commands_the_track_has(client):
    choose(client, "python")
    assert "60 minutes · 6 commands Checkpoints" in words_of(client.get("/"))
    assert "60 minutes · 6 commands" in words_of(client.get(LESSON))


def test_a_lesson_without_the_chosen_track_is_shown_in_its_first(client):
    client.cookies["track"] = "cobol"
    assert pressed_of(client.get(LESSON)) == {"Node.js": "true", "Python": "false"}


def test_a_lesson_in_one_language_has_nothing_to_choose(client):
    choose(client, "python")
    response = client.get("/lessons/tiny/")
    assert block_ids_of(response) == ["hello", "colours", "slow", "fails"]
    assert not elements(response, id="tracks")


@pytest.mark.parametrize("track", ["", "cobol", '"><b>'])
def test_a_track_that_the_lesson_does_not_have_is_not_found_and_not_kept(client, track):
    response = choose(client, track)
    assert response.status_code == 404
    assert "track" not in response.cookies


def test_the_cookie_lives_for_a_year_and_stays_on_this_site(client):
    cookie = choose(client, "python").cookies["track"]
    assert (cookie.value, cookie["samesite"]) == ("python", "Lax")
    assert cookie["max-age"] > 365 * 24 * 3600
