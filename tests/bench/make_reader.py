"""Makes a student with an answer in every gap and a run of every block, who is logged in already.

`python -m tests.bench.make_reader` prints their session key, on the site whose settings are in the
environment.
"""

from __future__ import annotations

import json
import sys
import uuid
from datetime import timedelta

import django

django.setup()

from django.utils import timezone  # noqa: E402

from course.answers import save_answer  # noqa: E402
from course.lessons.model import Block, Lesson  # noqa: E402
from course.library import get_lesson  # noqa: E402
from course.models import User  # noqa: E402
from labs.models import OutputChunk, Run  # noqa: E402
from tests.bench.make_students import make_session  # noqa: E402
from tests.factories import make_finished_run, make_user  # noqa: E402

SLUG = "checkpoints"


def make_reader(lesson: Lesson) -> tuple[User, str]:
    """The student and their session key."""
    user = make_user(f"reader-{uuid.uuid4().hex[:8]}")
    for gap_id in lesson.gaps:
        save_answer(user=user, lesson=lesson, gap_id=gap_id, text="A save point in a game.")
    for block in lesson.blocks.values():
        make_finished_run(user, _output_of(block), **_fields_of(lesson, block))
    return user, make_session(user)


def add_runs(user: User, lesson: Lesson, count: int) -> None:
    """Finished runs with output, all older than the newest of their blocks."""
    example = Run.objects.filter(owner=user).first()
    assert example is not None
    blocks = list(lesson.blocks.values())
    fields = {f.name: getattr(example, f.name) for f in Run._meta.fields}
    runs = [
        Run(
            **fields
            | _fields_of(lesson, blocks[number % len(blocks)])
            | {
                "id": uuid.uuid4(),
                "key": uuid.uuid4(),
                "queued_at": timezone.now() - timedelta(days=1, seconds=number),
            }
        )
        for number in range(count)
    ]
    Run.objects.bulk_create(runs)
    OutputChunk.objects.bulk_create(
        OutputChunk(run=run, offset=0, stream="stdout", at_s=0.0, data=b"hi\n") for run in runs
    )


def _output_of(block: Block) -> bytes:
    return block.example.text.encode() + b"\n" if block.example else b"done\n"


def _fields_of(lesson: Lesson, block: Block) -> dict[str, object]:
    return {
        "origin": f"{lesson.slug}#{block.id}",
        "origin_version": lesson.version,
        "command": block.command,
        "exit_code": block.exit_code,
    }


if __name__ == "__main__":
    read = get_lesson(SLUG)
    assert read is not None
    sys.stdout.write(json.dumps({"session": make_reader(read.for_track("node"))[1]}))
