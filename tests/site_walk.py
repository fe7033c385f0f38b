"""Every address of the site, and a small world in which each of them means something."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from course.assignments import give_extension, release_marks
from course.classrooms import add_member, open_joining
from course.invitations import invite
from course.joining import join_by_code
from course.library import get_lesson
from course.models import Assignment, Classroom, HandIn, Membership, Remark, RosterPlan, User
from course.remarks import ask_remark
from course.roster import preview_roster
from labs.models import Checkpoint, Host, ImageBuild, Run, Wish
from labs.wishes import create_done
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
    make_user,
)

PEOPLE = ("visitor", "owner", "other", "assistant", "teacher", "stranger", "admin")
"""Nobody logged in; the student whose run it is; one of another class; an assistant and the teacher
of the owner's class; the teacher of the other class; an admin."""
SENT = {
    "course:join": {"code": "BCDFGHJKM"},
    "course:classroom-create": {"name": "9a", "time_zone": "UTC"},
    "course:classroom-settings": {"name": "7b", "time_zone": "UTC"},
    "course:join-code": {"days": "7"},
    "course:member-remove": {"username": "owner"},
    "course:member-role": {"username": "assistant", "role": "co_teacher"},
    "course:request-answer": {"username": "asker", "answer": "yes"},
    "course:invitation-create": {"username": "asker", "role": "assistant"},
    "course:invitation-withdraw": {"username": "asker"},
    "course:account-create": {"number": "1", "beginning": "x"},
    "course:passphrase-reset": {"username": "owner"},
    "course:extension-give": {"student": "owner", "due_at": "2099-01-01T10:00", "reason": "ill"},
    "course:extension-take-back": {"username": "owner"},
    "course:rubric": {"step": "gap:animal", "points": "1", "comment": "well"},
    "course:review": {"step": "gap:animal", "give": "full", "version": "1"},
    "course:remark-ask": {"step": "gap:animal", "wish": "why"},
    "course:remark-answer": {"answer": "so"},
    "course:block-run": {"key": str(uuid.UUID(int=1))},
    "course:gap-save": {"gap.animal": "a"},
    "course:track-choose": {"track": "python"},
    "labs:wish-create": {"kind": "restart"},
    "labs:lab-bulk": {"deed": "stop"},
    "labs:limit-edit": {"memory_mib": "1"},
}
"""What a POST needs to mean something."""
NOBODYS = {"course:assignment-delete"}
"""What can only be done to an assignment that nobody has touched."""
LESSONS = {"course:track-choose": "checkpoints"}
"""The lesson in which an address means something, where it isn't the tiny one."""


@dataclass(frozen=True)
class World:
    """Two classes with a student each, a finished run of the first class's student, and a host with
    a build of the image."""

    people: Mapping[str, User]
    classroom: Classroom
    run: Run
    host: Host
    build: ImageBuild
    plan: RosterPlan
    """The teacher's, of the first class."""
    unused: Assignment
    """Nobody has handed in anything for it."""
    handin: HandIn
    """The owner's, of an assignment whose marks are shown."""
    remark: Remark

    @property
    def checkpoint(self) -> Checkpoint:
        return self.run.lab.checkpoints.get()

    @property
    def wish(self) -> Wish:
        return self.run.lab.wishes.get(state="done")

    def client(self, person: str, **options: Any) -> Client:
        """A browser of that person's."""
        client = Client(**options)
        if person != "visitor":
            client.force_login(self.people[person])
        return client

    def address(self, name: str, parameters: Sequence[str], **others: str) -> str:
        """Where `name` is, in the lesson that suits it unless `others` say otherwise."""
        values = {
            "slug": LESSONS.get(name, "tiny"),
            "version": version_of_tiny(),
            "gap_id": "animal",
            "block_id": "hello",
            **others,
            "pk": self.run.lab_id if name.startswith("labs:") else self.classroom.pk,
            "username": self.people["owner"].username,
            "run_id": self.run.pk,
            "checkpoint_id": self.checkpoint.pk,
            "wish_id": self.wish.pk,
            "session_id": self.run.lab.terminals.get(state="closed").pk,
            "name": "note",
            "host_id": self.host.pk,
            "build_id": self.build.pk,
            "plan_pk": self.plan.pk,
            "code": self.classroom.join_code,
            "assignment_id": self.unused.pk if name in NOBODYS else self.handin.assignment_id,
            "handin_id": self.handin.pk,
            "remark_id": self.remark.pk,
            "kind": "csv",
            "id": self.people["owner"].pk,
            "object_id": self.people["owner"].pk,
            "content_type_id": 1,
            "app_label": "course",
        }
        return reverse(name, kwargs={parameter: values[parameter] for parameter in parameters})


def version_of_tiny() -> str:
    lesson = get_lesson("tiny")
    assert lesson
    return lesson.version


def make_world() -> World:
    people = {person: make_user(person) for person in PEOPLE[1:-1]}
    people["admin"] = make_user("admin", is_staff=True, is_superuser=True)
    classroom = make_classroom(teacher=people["teacher"], students=[people["owner"]])
    make_classroom(teacher=people["stranger"], students=[people["other"]], name="8c")
    add_member(classroom=classroom, user=people["assistant"], role=Membership.Role.ASSISTANT)
    plan = fill_waiting_rooms(classroom, people)
    terminal = make_terminal(people["owner"], "$ echo hi\r\nhi\r\n", state="closed")
    run = make_finished_run(
        people["owner"], origin="tiny#hello", typed_into=terminal.pk, typed_at_s=0.1
    )
    before = make_checkpoint(run.lab, {"note": "first"})
    create_done(lab=run.lab, actor=people["owner"], kind=Wish.Kind.RESET, before=before)
    host = Host.objects.get_or_create(name="lab1")[0]
    build = ImageBuild.objects.create(host=host, state="done", state_deadline_at=timezone.now())
    unused, handin, remark = hand_something_in(classroom, people)
    return World(people, classroom, run, host, build, plan, unused, handin, remark)


def hand_something_in(
    classroom: Classroom, people: Mapping[str, User]
) -> tuple[Assignment, HandIn, Remark]:
    """An assignment that nobody touched; a hand-in with a mark and a question about it."""
    assignment = make_assignment(classroom, records_files=False)
    handin = make_handin(people["owner"], assignment, {"animal": "Quokka"})
    release_marks(assignment, released=True)
    handin.refresh_from_db()
    late = assignment.due_at + timedelta(days=1)
    give_extension(
        assignment=assignment,
        student=people["owner"],
        due_at=late,
        reason="ill",
        teacher=people["teacher"],
    )
    remark = ask_remark(handin=handin, step="gap:colour", wish="why")
    return make_assignment(classroom), handin, remark


def fill_waiting_rooms(classroom: Classroom, people: Mapping[str, User]) -> RosterPlan:
    """An open code, somebody who asks to join, somebody who is invited, and a roster to apply."""
    teacher = people["teacher"]
    open_joining(classroom, actor=teacher, days=7, needs_approval=True)
    join_by_code(code=classroom.open_code, user=make_user("asker"))
    invite(classroom, actor=teacher, username="other", role=Membership.Role.ASSISTANT)
    roster = b"username\nowner\n"
    return preview_roster(classroom, actor=teacher, data=roster, remove_missing=False)


def all_addresses() -> dict[str, list[str]]:
    """Every name in the site's URL configuration, with the names of its parameters."""
    return dict(_walk(get_resolver().url_patterns, ""))


def _walk(patterns: Sequence[Any], namespace: str) -> Iterator[tuple[str, list[str]]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from _walk(pattern.url_patterns, namespace + inner)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield f"{namespace}{pattern.name}", parameters_of(pattern)
        else:
            assert namespace == "admin:", f"{pattern} has no name"


def parameters_of(pattern: URLPattern) -> list[str]:
    regex: Any = pattern.pattern.regex
    return list(regex.groupindex)
