"""Makes classes of students with a teacher each, all logged in, on the site whose settings are in
the environment. Each class works at the tiny lesson, and its teacher looks at the board.

`python -m tests.load.make_school 300 10` prints the sessions, and each teacher's class and board.
"""

from __future__ import annotations

import json
import sys

import django

django.setup()

from course.models import User  # noqa: E402
from labs.lifecycle import lab_of  # noqa: E402
from tests.bench.make_students import make_session  # noqa: E402
from tests.factories import make_assignment, make_classroom  # noqa: E402


def make_class(number: int, size: int) -> dict[str, object]:
    teacher = User.objects.create(username=f"teacher{number}")
    students = [User.objects.create(username=f"pupil{number}-{n}") for n in range(size)]
    classroom = make_classroom(teacher=teacher, students=students, name=f"class {number}")
    for student in students:
        lab_of(student)
    return {
        "session": make_session(teacher),
        "assignment": make_assignment(classroom).pk,
        "students": [make_session(student) for student in students],
    }


if __name__ == "__main__":
    students, classes = int(sys.argv[1]), int(sys.argv[2])
    sizes = [students // classes + (n < students % classes) for n in range(classes)]
    sys.stdout.write(json.dumps([make_class(n, size) for n, size in enumerate(sizes)]))
