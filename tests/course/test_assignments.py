"""What an assignment's dates and rules come to, and how they are changed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from course.assignments import change_assignment, dates_for, give_extension
from tests.factories import make_assignment, make_classroom, make_user
from tests.markup import words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

DAY = timedelta(days=1)


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


def test_whoever_has_more_time_never_has_less_than_a_class_that_gets_more(
    student, teacher, assignment
):
    give_extension(
        assignment=assignment,
        student=student,
        due_at=assignment.due_at + DAY,
        reason="Was ill",
        teacher=teacher,
    )
    later = assignment.due_at + 7 * DAY
    change_assignment(assignment=assignment, fields={"due_at": later})
    assert dates_for(assignment, student).due_at == later
