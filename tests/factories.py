"""Rows for tests, as plain functions with sensible defaults."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import json
import tarfile
import uuid
from datetime import timedelta
from typing import Any

from django.utils import timezone

from course.answers import save_answer
from course.assignments import set_assignment
from course.classrooms import add_member, create_classroom
from course.handins import hand_in, next_attempt
from course.library import get_lesson
from course.models import Assignment, Classroom, HandIn, Membership, User
from labs.engine.base import Exit
from labs.lifecycle import lab_of
from labs.models import Blob, Checkpoint, Lab, OutputChunk, Run, TerminalSession
from labs.terminals import Taken, store_piece

_numbers = itertools.count(1)


def make_user(username: str = "", **fields: Any) -> User:
    user = User(username=username or f"reader{next(_numbers)}", **fields)
    user.set_password("a good passphrase")
    user.save()
    return user


def make_admin() -> User:
    return make_user("boss", is_staff=True)


def make_classroom(*, teacher: User, students: list[User], name: str = "7b") -> Classroom:
    classroom = create_classroom(name=name, teacher=teacher)
    for student in students:
        add_member(classroom=classroom, user=student, role=Membership.Role.STUDENT)
    return classroom


def make_run(owner: User, **fields: Any) -> Run:
    """A queued run of `echo hi`, unless `fields` say otherwise."""
    defaults: dict[str, Any] = {
        "owner": owner,
        "key": uuid.uuid4(),
        "lab": lab_of(owner),
        "origin": "checkpoints#resume",
        "command": "docker exec agent echo hi",
        "argv": ["echo", "hi"],
        "workdir": "/home/node/project",
        "state_deadline_at": timezone.now() + timedelta(hours=1),
    }
    return Run.objects.create(**(defaults | fields))


def make_finished_run(owner: User, output: bytes = b"hi\n", **fields: Any) -> Run:
    """A run that ended well, with its output stored."""
    now = timezone.now()
    defaults: dict[str, Any] = {
        "state": Run.State.FINISHED,
        "reason": "exited",
        "exit_code": 0,
        "duration_s": 0.21,
        "bytes_total": len(output),
        "lines_total": output.count(b"\n"),
        "output_offset": len(output),
        "started_at": now,
        "ended_at": now,
        "lab_generation": 1,
    }
    run = make_run(owner, **(defaults | fields))
    if output:
        OutputChunk.objects.create(run=run, offset=0, stream="stdout", at_s=0.0, data=output)
    return run


def make_terminal(owner: User, shown: str = "", **fields: Any) -> TerminalSession:
    """An open terminal, with a recording of what its screen showed at the very beginning."""
    session = TerminalSession.objects.create(owner=owner, lab=lab_of(owner), **fields)
    if shown:
        size = len(shown.encode())
        line = json.dumps([0.5, "o", shown]) + "\n"
        store_piece(session, Taken(0, size, 0.5, line))
    return session


def make_checkpoint(lab: Lab, files: dict[str, str], **fields: Any) -> Checkpoint:
    """A saved workspace with these files: path → text."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    data = archive.getvalue()
    blob, _ = Blob.objects.get_or_create(
        sha256=hashlib.sha256(data).hexdigest(),
        defaults={"size_bytes": len(data), "gzipped": gzip.compress(data)},
    )
    defaults: dict[str, Any] = {"cause": Checkpoint.Cause.RUN}
    return Checkpoint.objects.create(lab=lab, blob=blob, **(defaults | fields))


def make_exit(**fields: Any) -> Exit:
    """The end of a run that went well."""
    defaults: dict[str, Any] = {
        "reason": "exited",
        "exit_code": 0,
        "signal": None,
        "duration_s": 0.2,
        "bytes_total": 3,
        "lines_total": 1,
        "truncated_bytes": 0,
        "leftovers": 0,
        "oom_kills": 0,
        "memory_peak_bytes": None,
        "workspace_changed": False,
    }
    return Exit(**(defaults | fields))


def make_assignment(classroom: Classroom, **fields: Any) -> Assignment:
    """The tiny lesson, due in an hour, a point for each cell and for two of its commands."""
    lesson = get_lesson(fields.pop("lesson", "tiny"))
    assert lesson is not None
    defaults: dict[str, Any] = {
        "points": {
            "gap:own-words": 4,
            "gap:animal": 1,
            "gap:colour": 1,
            "block:hello": 2,
            "block:fails": 1,
        },
        "opens_at": timezone.now() - timedelta(days=30),
        "due_at": timezone.now() + timedelta(hours=1),
    }
    teacher = classroom.teachers()[0].user
    return set_assignment(
        classroom=classroom, lesson=lesson, teacher=teacher, fields=defaults | fields
    )


def make_handin(student: User, assignment: Assignment, answers: dict[str, str]) -> HandIn:
    """These answers, handed in as the student's next attempt."""
    lesson = get_lesson(assignment.lesson)
    assert lesson is not None
    for gap_id, text in answers.items():
        save_answer(user=student, lesson=lesson, gap_id=gap_id, text=text)
    attempt = next_attempt(assignment, student)
    return hand_in(student=student, assignment=assignment, attempt=attempt)


def do_work(student: User) -> Run:
    """An answer, a run and files of the lab."""
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="animal", text="a ‮cat")
    run = make_finished_run(student, b"caf\xc3\xa9\n", origin="tiny#hello")
    make_checkpoint(run.lab, {"batch.js": "console.log(1)"})
    return run
