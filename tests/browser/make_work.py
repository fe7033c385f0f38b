"""`python -m tests.browser.make_work`: every kind of thing that a page can show, in its states.

For the site whose settings are in the environment. Prints, as JSON, what stands in the braces of
the addresses in tests.browser.pages. Names and texts are as long as they get.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta

import django

django.setup()

from django.contrib.auth.hashers import make_password  # noqa: E402
from django.utils import timezone  # noqa: E402

from course.assignments import give_extension, release_marks  # noqa: E402
from course.classrooms import (  # noqa: E402
    add_member,
    archive_classroom,
    create_classroom,
    open_joining,
)
from course.invitations import invite  # noqa: E402
from course.joining import join_by_code  # noqa: E402
from course.library import get_lesson  # noqa: E402
from course.models import (  # noqa: E402
    Assignment,
    ClassDownload,
    Classroom,
    Mark,
    Membership,
    User,
)
from course.remarks import add_rubric_line  # noqa: E402
from course.roster import preview_roster  # noqa: E402
from course.steps import steps_of  # noqa: E402
from labs.lifecycle import lab_of  # noqa: E402
from labs.models import Host, ImageBuild, Lab, Muster, Wish  # noqa: E402
from labs.wishes import create_done  # noqa: E402
from tests.factories import (  # noqa: E402
    make_assignment,
    make_checkpoint,
    make_finished_run,
    make_handin,
    make_terminal,
)

LONG = "Fachbereichsübergreifende Naturwissenschaften und Informatik 10b (Wahlpflicht)"
PEOPLE = (
    ("mara", "Mara Elisabeth", "von Hohenzollern-Württemberg"),
    ("ali", "Ali", "Öztürk"),
    ("wolfeschlegelsteinhausenbergerdorff", "Hubert Blaine", "Wolfeschlegelsteinhausenbergerdorff"),
    ("lin", "林", "美玲"),
    ("noor", "نور", "الهاشمي"),
    ("kim", "Kim", "Ng"),
)
ROSTER = (
    "username,external_id,first_name,last_name\n"
    "mara,S-0001,Mara,Hohenzollern\n,S-0002,Nele,Neu\nlin,S-0003,,\nlin,S-0004,,\n"
)


def make_work() -> dict[str, object]:
    teacher = User.objects.get(username="teacher")
    people = [make_person(*names) for names in PEOPLE]
    full = fill_class(teacher, people)
    handed, open_one = set_lessons(full, people)
    lab = use_lab(people[0], teacher)
    names = {"full": full.pk, "assignment": handed.pk, "open": open_one.pk, "mark": mark_of(handed)}
    return names | lab | in_passing(teacher, full) | of_hosts(lab["lab"])


def make_person(username: str, first_name: str, last_name: str) -> User:
    return User.objects.create(
        username=username,
        first_name=first_name,
        last_name=last_name,
        password=make_password(None),
    )


def fill_class(teacher: User, people: list[User]) -> Classroom:
    """With a code, a co-teacher, somebody invited and somebody at the door."""
    classroom = create_classroom(name=LONG, teacher=teacher)
    for person in (*people[:5], User.objects.get(username="student1")):
        add_member(classroom=classroom, user=person, role=Membership.Role.STUDENT)
    helper = make_person("co-teacher", "Konstanze", "Mitlehrerin")
    add_member(classroom=classroom, user=helper, role=Membership.Role.CO_TEACHER)
    open_joining(classroom, actor=teacher, days=7, needs_approval=True)
    join_by_code(code=classroom.open_code, user=people[5])
    invite(classroom, actor=teacher, username="student2", role=Membership.Role.ASSISTANT)
    return classroom


def set_lessons(classroom: Classroom, people: list[User]) -> tuple[Assignment, Assignment]:
    """One that is handed in, late by somebody, with more time for somebody; and one to be done."""
    teacher = classroom.teachers()[0].user
    handed = make_assignment(classroom, records_files=False)
    for number, person in enumerate(people[:4]):
        make_finished_run(person, b"hello\n", origin="tiny#hello")
        said = {"own-words": "Whatever is needed to go on. " * (number + 1), "animal": "quokka"}
        make_handin(person, handed, said)
    release_marks(handed, released=True)
    more = {"due_at": handed.due_at + timedelta(days=2), "reason": "Ill for a week"}
    give_extension(assignment=handed, student=people[4], teacher=teacher, **more)
    lesson = get_lesson(handed.lesson)
    assert lesson
    step = steps_of(lesson, handed.points)[0]
    for hundredths, comment in ((200, "Half of it."), (400, "All of it, in your own words.")):
        add_rubric_line(assignment=handed, step=step, hundredths=hundredths, comment=comment)
    other = get_lesson("retries")
    assert other
    points = {f"gap:{gap}": 1 for gap in other.gaps}
    return handed, make_assignment(classroom, lesson=other.slug, points=points, track="node")


def mark_of(assignment: Assignment) -> int:
    """One that still waits for a teacher."""
    return (
        Mark.objects.filter(handin__assignment=assignment, verdict="waiting").order_by("pk")[0].pk
    )


def use_lab(owner: User, actor: User) -> dict[str, object]:
    """A lab with files of two times, a reset between them, a recording, and a word to its owner."""
    lab = lab_of(owner)
    Lab.objects.filter(pk=lab.pk).update(
        message="The lab machine is restarted at 3. Save what you have.",
        message_at=timezone.now(),
        last_error="no space left on device",
        last_error_at=timezone.now(),
    )
    before = make_checkpoint(lab, {"job.js": "let done = 0;\n", "data/items.json": "[1, 2]\n"})
    after = make_checkpoint(lab, {"job.js": "let done = 1;\nsave(done);\n", "notes/a b.txt": "hi"})
    create_done(lab=lab, actor=actor, kind=Wish.Kind.RESET, before=before)
    shown = "node@lab:~/project$ node job.js\r\nA1: \x1b[32mdone\x1b[0m\r\n"
    terminal = make_terminal(owner, shown, state="closed", closed_at=timezone.now())
    broken = make_finished_run(
        owner,
        b"\x1b[31mError: no record\x1b[0m\n" * 40,
        origin="tiny#fails",
        state="timed_out",
        reason="time_limit",
        exit_code=None,
        typed_into=terminal.pk,
        typed_at_s=0.5,
    )
    return {
        "lab": lab.pk,
        "before": before.pk,
        "after": after.pk,
        "terminal": str(terminal.pk),
        "broken_run": str(broken.pk),
    }


def in_passing(teacher: User, full: Classroom) -> dict[str, object]:
    """Classes at their beginning and end, a roster with mistakes and one without, a download."""
    empty = create_classroom(name="8a", teacher=teacher)
    open_joining(empty, actor=teacher, days=7, needs_approval=False)
    over = create_classroom(name="Last year's class", teacher=teacher)
    archive_classroom(over, actor=teacher)
    good = ROSTER.rpartition("lin,")[0]
    plans = [
        preview_roster(classroom, actor=teacher, data=text.encode(), remove_missing=True)
        for classroom, text in ((empty, ROSTER), (full, good))
    ]
    ClassDownload.objects.create(
        classroom=full, asked_by=teacher, state="broken", students_total=6, students_done=2
    )
    return {
        "empty": empty.pk,
        "code": empty.open_code,
        "over": over.pk,
        "bad_plan": plans[0].pk,
        "plan": plans[1].pk,
    }


def of_hosts(lab_pk: object) -> dict[str, object]:
    """Labs that were checked before a lesson, and an image whose building failed."""
    states = (("good", ""), ("bad", "The lab did not start: no space left on device."))
    for (state, problem), name in zip(states, ("mara", "ali"), strict=True):
        Muster.objects.create(
            lab=lab_of(User.objects.get(username=name)),
            state=state,
            problem=problem,
            ended_at=timezone.now(),
            node_version="v22.11.0",
            python_version="3.11.2",
            disk_left_bytes=200_000_000,
        )
    host = Host.objects.order_by("pk").first()
    assert host
    build = ImageBuild.objects.create(
        host=host,
        state="failed",
        state_deadline_at=timezone.now(),
        ended_at=timezone.now(),
        reason="The base image could not be fetched.",
        log="Step 1/9 : FROM node\nno route to host\n",
    )
    return {"build": build.pk, "host": host.pk}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(make_work()))
