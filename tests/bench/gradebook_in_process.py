"""Times gradebooks by calling the site's WSGI application in this very process; prints JSON.

Run by `tests.bench.gradebook_bench` with a VAR_DIR and a LESSON_DIRS of its own.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from course.assignments import set_assignment, steps_of_assignment  # noqa: E402
from course.classrooms import create_classroom  # noqa: E402
from course.library import get_lesson  # noqa: E402
from course.marks import refresh_totals  # noqa: E402
from course.models import Assignment, HandIn, Mark, Membership, User  # noqa: E402
from course.steps import all_steps  # noqa: E402
from tests.bench.make_students import make_session  # noqa: E402
from tests.bench.page_bench import by_turns  # noqa: E402
from tests.bench.without_server import queries_of, site  # noqa: E402
from tests.factories import make_user  # noqa: E402

ROUNDS = 60
SMALL, LARGE = (120, 40), (1000, 50)
HALF_POINTS = 5
SUMMARY = """
    SELECT handin.student_id, mark.step, mark.hundredths, mark.verdict
    FROM course_mark AS mark JOIN course_handin AS handin ON mark.handin_id = handin.id
    WHERE handin.assignment_id = %s AND handin.state = 'handed_in'
    ORDER BY handin.student_id, mark.step
"""


def measure() -> dict[str, Any]:
    """Medians in seconds: `floor` and `page` of the small one, `large` of the large one's first
    page; and the queries of both."""
    teacher = make_user("teacher")
    small, large = (make_gradebook(teacher, *size) for size in (SMALL, LARGE))
    ask, session = site(), make_session(teacher)
    pages = [f"/assignments/{assignment.pk}/gradebook/" for assignment in (small, large)]
    counts = [queries_of(lambda page=page: ask(page, session)) for page in pages]
    times = by_turns(
        ROUNDS,
        floor=lambda: raw_summary(small),
        page=lambda: ask(pages[0], session),
        large=lambda: ask(pages[1], session),
    )
    return times | {"queries": counts}


def raw_summary(assignment: Assignment) -> str:
    """The floor: every cell read by one plain query and joined, with no frame, names or totals."""
    with connection.cursor() as cursor:
        cursor.execute(SUMMARY, [assignment.pk])
        rows = cursor.fetchall()
    return "".join(
        "<tr>" + "".join([f"<td>{hundredths / 100:g}</td>" for _, _, hundredths, _ in cells])
        for _, cells in groupby(rows, key=lambda row: row[0])
    )


def make_gradebook(teacher: User, students: int, steps: int) -> Assignment:
    """An assignment in which everybody has a mark in every step."""
    lesson = write_lesson(steps)
    classroom = create_classroom(name=f"{students} students", teacher=teacher)
    assignment = set_assignment(
        classroom=classroom,
        lesson=lesson,
        teacher=teacher,
        fields={
            "points": {step.id: 2 for step in all_steps(lesson)},
            "due_at": timezone.now() + timedelta(days=1),
        },
    )
    people = User.objects.bulk_create(
        User(username=f"s{steps}-{n}", first_name=f"Name{n}", last_name="O'Neil")
        for n in range(students)
    )
    Membership.objects.bulk_create(
        Membership(classroom=classroom, user=user, role="student") for user in people
    )
    handins = HandIn.objects.bulk_create(
        HandIn(assignment=assignment, student=user, attempt=1, state="handed_in", sha256="0" * 64)
        for user in people
    )
    Mark.objects.bulk_create(
        (
            Mark(
                handin=handin,
                step=step.id,
                hundredths=50 * ((at + row) % HALF_POINTS),
                verdict="waiting" if (at + row) % 20 == 0 else "marked",
            )
            for row, handin in enumerate(handins)
            for at, step in enumerate(steps_of_assignment(assignment))
        ),
        batch_size=2_000,
    )
    refresh_totals([handin.pk for handin in handins])
    return assignment


def write_lesson(steps: int) -> Any:
    """A lesson with so many gaps, in the folder that the site reads."""
    folder = Path(settings.LESSON_DIRS[0], f"gaps-{steps}")
    folder.mkdir(parents=True)
    rows = "\n".join(f"| Question {n} | {{gap}}`g{n}` |" for n in range(steps))
    keys = "\n".join(f"g{n}: answer {n}" for n in range(steps))
    (folder / "lesson.md").write_text(
        f"---\ntitle: {steps} gaps\nslug: gaps-{steps}\noutcome: I can.\nminutes: 5\nfree: yes\n"
        "lab:\n  title: Lab\n  source: none\n---\n\nText.\n\n## Gaps {#gaps}\n\n"
        f":::{{table}} Gaps\n| Question | Answer |\n|---|---|\n{rows}\n:::\n\n"
        f":::{{gaps}}\n{keys}\n:::\n"
    )
    lesson = get_lesson(f"gaps-{steps}")
    assert lesson is not None
    return lesson


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    sys.stdout.write(json.dumps(measure()))
