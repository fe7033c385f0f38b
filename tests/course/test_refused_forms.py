"""A form that is refused comes back with what was typed: nobody writes the same twice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from course.assignments import release_marks
from course.remarks import answer_remark, ask_remark
from tests.factories import make_assignment, make_classroom, make_handin, make_user
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]


@pytest.fixture
def teacher(client):
    teacher = make_user("ms-frizzle")
    client.force_login(teacher)
    return teacher


@pytest.fixture
def student():
    return make_user("ada")


@pytest.fixture
def assignment(teacher, student):
    return make_assignment(make_classroom(teacher=teacher, students=[student]))


@pytest.fixture
def handin(student, assignment):
    made = make_handin(student, assignment, {"animal": "heron"})
    release_marks(assignment, released=True)
    return made


def field(page, name):
    found = [e for tag in ("input", "textarea") for e in elements(page, tag, name=name)]
    return {e.attrs.get("value", e.words) for e in found} - {""}


def test_an_extension_that_ends_too_early_keeps_student_and_reason(client, student, assignment):
    early = (assignment.due_at - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    sent = {"student": student.username, "due_at": early, "reason": "Ill for a week"}
    page = client.post(reverse("course:extension-give", args=[assignment.pk]), sent)
    assert "must end after the due time of the class" in words_of(page)
    assert field(page, "reason") == {"Ill for a week"}
    assert field(page, "due_at") == {early}


def test_a_rubric_line_with_too_many_points_keeps_its_comment(client, assignment):
    sent = {"step": "gap:own-words", "points": "9", "comment": "Says why, and when"}
    page = client.post(reverse("course:rubric", args=[assignment.pk]), sent)
    assert "Give a number from 0 to 4" in words_of(page)
    assert (field(page, "points"), field(page, "comment")) == ({"9"}, {"Says why, and when"})
    assert not assignment.rubric.exists()


def test_a_question_about_a_mark_that_is_refused_is_still_there(student, handin):
    browser = Client()
    browser.force_login(student)
    ask_remark(handin=handin, step="gap:animal", wish="It was a heron.")
    sent = {"step": "gap:animal", "wish": "And it had a long beak."}
    page = browser.post(reverse("course:remark-ask", args=[handin.pk]), sent)
    assert "You have asked about this already." in words_of(page)
    assert "And it had a long beak." in words_of(page)


def test_a_question_that_is_too_long_stands_in_its_field(student, handin):
    browser = Client()
    browser.force_login(student)
    sent = {"step": "gap:animal", "wish": "why " * 300}
    page = browser.post(reverse("course:remark-ask", args=[handin.pk]), sent)
    assert "up to 1000 characters" in words_of(page)
    assert field(page, "wish") == {("why " * 300).strip()}


def test_an_answer_that_another_teacher_was_faster_with_is_still_there(client, teacher, handin):
    remark = ask_remark(handin=handin, step="gap:animal", wish="It was a heron.")
    answer_remark(remark=remark, answer="No.", teacher=teacher)
    address = reverse("course:remark-answer", args=[remark.pk])
    page = client.post(address, {"answer": "Look at its feathers."})
    assert "Somebody has answered this meanwhile." in words_of(page)
    assert "Look at its feathers." in words_of(page)
    remark.refresh_from_db()
    assert remark.answer == "No."


def test_names_of_accounts_that_cant_be_made_are_still_there(client, assignment):
    address = reverse("course:account-create", args=[assignment.classroom_id])
    names = "\n".join(f"Ada Number{number}" for number in range(121))
    page = client.post(address, {"names": names})
    assert "At most 120 at once" in words_of(page)
    assert field(page, "names") == {names.replace("\n", " ")}
