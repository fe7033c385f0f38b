"""Students who need help, and those who come."""

from __future__ import annotations

import pytest

from course.help import ask_help, end_help
from course.models import HelpRequest
from labs.refusal import Refused
from tests.factories import make_classroom, make_finished_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def student():
    return make_user()


@pytest.fixture
def teacher():
    return make_user()


@pytest.fixture
def classroom(student, teacher):
    return make_classroom(teacher=teacher, students=[student])


def waiting(classroom):
    return [request.student for request in HelpRequest.objects.waiting().in_classroom(classroom)]


def test_who_asks_is_on_the_list_once_with_the_newest_run(classroom, student):
    make_finished_run(student)
    newest = make_finished_run(student)
    assert ask_help(student=student) == ask_help(student=student)
    assert waiting(classroom) == [student]
    assert HelpRequest.objects.get().run == newest


def test_a_student_of_no_class_is_told_what_to_do(student):
    with pytest.raises(Refused, match="Join a class"):
        ask_help(student=student)


def test_who_was_helped_is_off_the_list_and_may_ask_again(classroom, student, teacher):
    ask_help(student=student)
    assert end_help(student=student, actor=teacher)
    assert waiting(classroom) == []
    assert not end_help(student=student, actor=teacher)
    ask_help(student=student)
    assert waiting(classroom) == [student]


def test_a_teacher_sees_who_waits_and_says_that_they_came(client, classroom, student, teacher):
    run = make_finished_run(student, exit_code=3)
    ask_help(student=student)
    client.force_login(teacher)
    page = client.get(f"/classes/{classroom.pk}/").content.decode()
    assert "1 student needs help" in page
    assert f"/runs/{run.pk}/" in page
    assert "exit code 3" in page
    page = client.post(f"/classes/{classroom.pk}/help/{student.username}/", follow=True)
    assert "needs help" not in page.content.decode()


def test_a_student_asks_and_takes_it_back(client, classroom, student):
    client.force_login(student)
    assert "You asked at" in client.post("/help/", follow=True).content.decode()
    client.post("/help/", {"withdraw": "yes"})
    assert waiting(classroom) == []


def test_asking_leads_back_to_the_lesson_and_nowhere_else(client, classroom, student):
    client.force_login(student)
    assert client.post("/help/", {"next": "/lessons/tiny/"}).url == "/lessons/tiny/"
    assert client.post("/help/", {"next": "https://evil.example.org/"}).url == "/help/"
