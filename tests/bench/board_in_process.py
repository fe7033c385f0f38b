"""Times class boards by calling the site's WSGI application in this very process; prints JSON.

Run by `tests.bench.board_bench` with a VAR_DIR and a LESSON_DIRS of its own.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from collections.abc import Callable, Sequence
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

from course.assignments import set_assignment  # noqa: E402
from course.classrooms import create_classroom  # noqa: E402
from course.lessons.model import Lesson  # noqa: E402
from course.library import get_lesson  # noqa: E402
from course.models import Answer, Assignment, BlockOutcome, Membership, User  # noqa: E402
from course.standing import standing_of  # noqa: E402
from labs.lifecycle import lab_of  # noqa: E402
from labs.models import Run  # noqa: E402
from tests.bench.make_students import make_session  # noqa: E402
from tests.bench.page_bench import by_turns  # noqa: E402
from tests.bench.without_server import queries_of, site  # noqa: E402
from tests.factories import make_user  # noqa: E402

ROUNDS = 60
GAPS, BLOCKS = 22, 8
SMALL, LARGE = 20, 200
WORDINGS = ("right", "wrong", "rihgt", "", "something else")
RAW = """
    SELECT user_id, gap, text FROM course_answer WHERE lesson = %s
        AND user_id IN (SELECT user_id FROM course_membership WHERE classroom_id = %s)
    UNION ALL
    SELECT student_id, block, state FROM course_blockoutcome WHERE lesson_version = %s
        AND student_id IN (SELECT user_id FROM course_membership WHERE classroom_id = %s)
    ORDER BY 1
"""


def measure() -> dict[str, Any]:
    """Medians in seconds: `floor` and `page` of the large one, `changed` where everybody has done
    something since, `update` of one that is open; and the queries of both sizes."""
    teacher, lesson = make_user("teacher"), write_lesson()
    small, large = (make_board(teacher, lesson, count) for count in (SMALL, LARGE))
    ask, session = site(), make_session(teacher)
    pages = [f"/assignments/{assignment.pk}/board/" for assignment in (small, large)]
    counts = [queries_of(lambda page=page: ask(page, session)) for page in pages]
    seen = re.search(r'name="seen" value="([^"]+)"', ask(pages[1], session).decode())
    assert seen is not None
    update = f"{pages[1]}?seen={seen[1]}"
    times = by_turns(
        ROUNDS,
        floor=lambda: raw_board(large),
        page=lambda: ask(pages[1], session),
        changed=lambda: forget_and(lambda: ask(pages[1], session)),
        update=lambda: ask(update, session, HX_REQUEST="true"),
    )
    return times | {"queries": counts}


def forget_and(ask_again: Callable[[], str]) -> str:
    """As if nobody's work were known: after each student has done something, or for the first
    time in this process."""
    standing_of.cache_clear()
    return ask_again()


def raw_board(assignment: Assignment) -> str:
    """The floor: every cell read by one plain query and joined, without times, frame or names."""
    of_class = [assignment.lesson, assignment.classroom_id]
    with connection.cursor() as cursor:
        cursor.execute(RAW, [*of_class, assignment.lesson_version, assignment.classroom_id])
        rows = cursor.fetchall()
    return "".join(
        "<tr>" + "".join([f"<td>{state}</td>" for _, _, state in cells])
        for _, cells in groupby(rows, key=lambda row: row[0])
    )


def make_board(teacher: User, lesson: Lesson, students: int) -> Assignment:
    """An assignment in which everybody has written in every gap and run every block."""
    classroom = create_classroom(name=f"{students} students", teacher=teacher)
    due = {"points": {}, "due_at": timezone.now() + timedelta(days=1)}
    assignment = set_assignment(classroom=classroom, lesson=lesson, teacher=teacher, fields=due)
    people = User.objects.bulk_create(
        User(username=f"s{students}-{n}", first_name=f"Name{n}") for n in range(students)
    )
    Membership.objects.bulk_create(
        Membership(classroom=classroom, user=user, role="student") for user in people
    )
    write_answers(lesson, people)
    run_blocks(lesson, people)
    return assignment


def write_answers(lesson: Lesson, people: Sequence[User]) -> None:
    now = timezone.now()
    Answer.objects.bulk_create(
        (
            Answer(
                user=user,
                lesson=lesson.slug,
                gap=gap,
                text=WORDINGS[(row + at) % len(WORDINGS)],
                lesson_version=lesson.version,
                saved_at=now - timedelta(seconds=at),
            )
            for row, user in enumerate(people)
            for at, gap in enumerate(lesson.gaps)
        ),
        batch_size=2_000,
    )


def run_blocks(lesson: Lesson, people: Sequence[User]) -> None:
    """Two runs of each, the newer one judged already."""
    labs = {user.pk: lab_of(user) for user in people}
    now = timezone.now()
    runs = [
        Run(
            owner=user,
            key=uuid.uuid4(),
            lab=labs[user.pk],
            origin=f"{lesson.slug}#{block}",
            command="docker exec agent true",
            argv=["true"],
            workdir="/",
            state="finished",
            exit_code=0,
            state_deadline_at=now,
            queued_at=now - timedelta(minutes=age),
        )
        for user in people
        for block in lesson.blocks
        for age in (5, 0)
    ]
    Run.objects.bulk_create(runs, batch_size=500)
    BlockOutcome.objects.bulk_create(
        BlockOutcome(
            student=run.owner,
            lesson=lesson.slug,
            lesson_version=lesson.version,
            block=run.origin.partition("#")[2],
            run=run,
            state=("passed", "differs")[at % 2],
        )
        for at, run in enumerate(runs[1::2])
    )


def write_lesson() -> Lesson:
    """A lesson with so many gaps and blocks, in the folder that the site reads."""
    folder = Path(settings.LESSON_DIRS[0], "board")
    folder.mkdir(parents=True)
    rows = "\n".join(f"| Question {n} | {{gap}}`g{n}` |" for n in range(GAPS))
    keys = "\n".join(f"g{n}:\n  accept: right" for n in range(GAPS))
    blocks = "\n".join(
        f":::{{block}} Command {n}\n:id: b{n}\n\ndocker exec agent true\n:::\n"
        for n in range(BLOCKS)
    )
    (folder / "lesson.md").write_text(
        "---\ntitle: Board\nslug: board\noutcome: I can.\nminutes: 5\nfree: yes\n"
        "lab:\n  title: Lab\n  source: none\n---\n\nText.\n\n## Gaps {#gaps}\n\n"
        f":::{{table}} Gaps\n| Question | Answer |\n|---|---|\n{rows}\n:::\n\n"
        f":::{{gaps}}\n{keys}\n:::\n\n{blocks}"
    )
    lesson = get_lesson("board")
    assert lesson is not None
    return lesson


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    sys.stdout.write(json.dumps(measure()))
