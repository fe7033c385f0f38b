"""Rows for tests, as plain functions with sensible defaults."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import tarfile
import uuid
from datetime import timedelta
from typing import Any

from django.utils import timezone

from course.classrooms import add_member, create_classroom
from course.models import Classroom, Membership, User
from labs.engine.base import Exit
from labs.lifecycle import lab_of
from labs.models import Blob, Checkpoint, Lab, OutputChunk, Run

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
    return Checkpoint.objects.create(lab=lab, blob=blob, cause=Checkpoint.Cause.RUN, **fields)


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
