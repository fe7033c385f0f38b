"""What a class made of a lesson, beside the teacher guide."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from course.answers import save_answer
from course.class_figures import (
    Common,
    Event,
    figures_of,
    minutes_spent,
    wrong_answers,
    wrong_codes,
)
from course.gradebook import students_of
from course.lessons.model import Gap
from course.library import get_lesson
from course.models import Answer
from tests.factories import make_assignment, make_classroom, make_finished_run, make_user
from tests.markup import words_of

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ANIMAL = Gap(id="animal", label="Animal", accept=("quokka",))


def at(minutes, step, student=1):
    return Event(student, step, NOON + timedelta(minutes=minutes))


def test_equal_wrong_answers_are_counted_together_as_most_spelled_them():
    texts = ["Cow", "cow", "cow!", "cow", "dog", "quokka", "Quokka.", "", "quoka"]
    assert wrong_answers(ANIMAL, texts) == [Common("cow", 4), Common("dog", 1), Common("quoka", 1)]


def test_what_a_teacher_has_to_mark_is_not_wrong():
    open_gap = Gap(id="own", label="Own", is_open=True)
    assert wrong_answers(open_gap, ["anything", "else"]) == []


def test_only_exit_codes_that_were_not_asked_for_are_mistakes():
    assert wrong_codes(1, [1, 0, 0, 2, None, 1]) == [Common("0", 2), Common("2", 1)]


@pytest.mark.parametrize(
    ("events", "minutes"),
    [
        ([], {}),
        ([at(0, "a")], {1: {"a": 0}}),
        ([at(0, "a"), at(3, "b"), at(4, "a")], {1: {"a": 1, "b": 3}}),
        ([at(4, "a"), at(0, "a"), at(3, "b")], {1: {"a": 1, "b": 3}}),
        ([at(0, "a"), at(10, "b"), at(12, "b")], {1: {"a": 0, "b": 2}}),
        ([at(0, "a"), at(1, "a", student=2), at(5, "b")], {1: {"a": 0, "b": 5}, 2: {"a": 0}}),
    ],
    ids=["nothing", "one deed", "the time before a deed", "any order", "a pause", "two students"],
)
def test_minutes_are_those_before_each_deed_but_no_pauses(events, minutes):
    assert minutes_spent(events) == minutes


@pytest.fixture
def page(client, db):
    """Of a class in which two wrote a wrong animal and one command failed."""
    teacher, students = make_user("frizzle"), [make_user("ada"), make_user("bob")]
    assignment = make_assignment(make_classroom(teacher=teacher, students=students))
    lesson = get_lesson("tiny")
    for student, text in zip(students, ["<cow>", "<Cow>"], strict=True):
        save_answer(user=student, lesson=lesson, gap_id="animal", text=text)
    now = timezone.now()
    Answer.objects.update(saved_at=now - timedelta(minutes=4))
    hello = lesson.blocks["hello"].command
    make_finished_run(
        students[0], b"", origin="tiny#hello", command=hello, exit_code=127, queued_at=now
    )
    client.force_login(teacher)
    return client.get(reverse("course:class-guide", args=[assignment.pk]))


def test_the_page_says_what_went_wrong_how_often_and_how_long_it_took(page):
    words = words_of(page)
    assert "2 / 2 have begun" in words
    assert "<cow> 2×" in words.casefold()
    assert "exit code 127 1×" in words
    assert "A cell with a key : 2 of 2" in words.replace("key:", "key :")
    assert "4.0" in words


def test_what_was_done_after_the_time_that_is_asked_for_does_not_count(db):
    ada, lesson = make_user("ada"), get_lesson("tiny")
    classroom = make_classroom(teacher=make_user("frizzle"), students=[ada])
    save_answer(user=ada, lesson=lesson, gap_id="animal", text="quokka")
    then = timezone.now()
    save_answer(user=ada, lesson=lesson, gap_id="colour", text="blue")
    make_finished_run(ada, origin="tiny#hello")
    figures = figures_of(lesson, students_of(classroom), then)
    assert [step.touched for step in figures.steps] == [0, 1, 0, 0, 0, 0, 0]


def test_the_guide_stands_beside_the_figures(page):
    assert "Teacher guide" in words_of(page)
    assert page.context["lesson"].guide_html in page.content.decode()
