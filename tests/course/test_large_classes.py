"""What teachers and admins open of a class costs as many queries for many students as for two."""

from __future__ import annotations

import itertools

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from course.classrooms import add_member
from course.help import ask_help
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_user,
)

pytestmark = [pytest.mark.django_db, pytest.mark.core]
MORE = 8
numbers = itertools.count(1)


@pytest.fixture
def boss():
    return make_user("boss", is_staff=True, is_superuser=True)


@pytest.fixture
def assignment(boss):
    assignment = make_assignment(make_classroom(teacher=boss, students=[]))
    for _ in range(2):
        add_student_with_work(assignment)
    return assignment


def add_student_with_work(assignment):
    student = make_user(f"student{next(numbers):03}")
    add_member(classroom=assignment.classroom, user=student, role="student")
    run = make_finished_run(student, origin="tiny#hello")
    make_checkpoint(run.lab, {"a.txt": student.username}, run=run)
    ask_help(student=student)
    answers = {"animal": f"an animal of {student.username}", "own-words": "It waits."}
    return make_handin(student, assignment, answers)


@pytest.fixture
def queries_of_pages(client, boss, assignment):
    """Page → how many queries it takes once it was asked for before."""
    client.force_login(boss)
    of_assignment, of_class = (
        f"/assignments/{assignment.pk}/",
        f"/classes/{assignment.classroom_id}/",
    )
    first = assignment.handins.order_by("pk")[0].student.username
    pages = [
        *(of_assignment + page for page in ("", "board/", "guide/", "gradebook/", "asked/")),
        *(of_assignment + page for page in ("marking/", "marking/?show=all&step=gap:animal")),
        *(of_assignment + page for page in (f"review/{first}/", "marks.csv")),
        *(of_class + page for page in ("", "gradebook/", "people/", "labs/", "roster.csv")),
        *("/classes/", "/labs/", "/labs/?sort=-memory", "/labs/queue/", "/metrics"),
    ]
    return lambda: {page: queries_of(client, page) for page in pages}


def queries_of(client, page):
    client.get(page)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(page).status_code == 200
    return len(queries)


def test_no_page_of_a_class_costs_more_queries_for_more_students(assignment, queries_of_pages):
    few = queries_of_pages()
    for _ in range(MORE):
        add_student_with_work(assignment)
    assert queries_of_pages() == few
    assert max(few.values()) <= 24
