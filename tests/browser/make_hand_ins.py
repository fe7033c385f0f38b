"""`python -m tests.browser.make_hand_ins STUDENTS WORDINGS`: a class whose work waits to be marked.

For the site whose settings are in the environment; prints the assignment's id. Every key is met,
and each open question is answered in so many wordings, by equally many students each.
"""

from __future__ import annotations

import sys
import uuid

import django

django.setup()

from django.contrib.auth.hashers import make_password  # noqa: E402

from course.classrooms import add_member, create_classroom  # noqa: E402
from course.lessons.model import Gap  # noqa: E402
from course.library import get_lesson  # noqa: E402
from course.models import Membership, User  # noqa: E402
from tests.factories import make_assignment, make_handin  # noqa: E402

LESSON = "checkpoints"


def make_hand_ins(students: int, wordings: int) -> int:
    """The assignment's id."""
    lesson = get_lesson(LESSON)
    assert lesson is not None
    teacher = User.objects.get(username="teacher")
    classroom = create_classroom(name=f"Marked {uuid.uuid4().hex[:6]}", teacher=teacher)
    points = {f"gap:{gap}": 1 for gap in lesson.gaps}
    assignment = make_assignment(classroom, lesson=LESSON, points=points, track="node")
    for number in range(students):
        user = User.objects.create(
            username=f"s{number}-{uuid.uuid4().hex[:6]}", password=make_password(None)
        )
        add_member(classroom=classroom, user=user, role=Membership.Role.STUDENT)
        said = {gap.id: answer_to(gap, number % wordings) for gap in lesson.gaps.values()}
        make_handin(user, assignment, said)
    return assignment.pk


def answer_to(gap: Gap, wording: int) -> str:
    return f"My answer number {wording} to {gap.id}." if gap.is_open else gap.accept[0]


if __name__ == "__main__":
    sys.stdout.write(str(make_hand_ins(int(sys.argv[1]), int(sys.argv[2]))))
