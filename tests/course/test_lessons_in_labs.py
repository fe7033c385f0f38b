"""Every command of the lessons that we ship, in order, in a student's lab on the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from course.lessons.comparing import compare_output
from course.lessons.parser import parse_lesson
from course.library import why_not_runnable
from labs.rendering import plain_output
from tests.factories import make_user

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]

CONTENT = Path(__file__).parents[2] / "course" / "content"
LESSONS = [parse_lesson(folder, why_not_runnable) for folder in sorted(CONTENT.iterdir())]
TRACKS = [
    pytest.param(lesson.for_track(track.id), id=f"{lesson.slug} in {track.title}")
    for lesson in LESSONS
    for track in lesson.tracks
]


def test_every_lesson_of_ours_can_be_read_in_two_languages():
    assert [[track.id for track in lesson.tracks] for lesson in LESSONS] == [
        ["node", "python"] for _ in LESSONS
    ]


@pytest.mark.parametrize("lesson", TRACKS)
def test_every_command_prints_its_example_and_ends_as_it_says(press, lesson):
    owner = make_user()
    for block in lesson.blocks.values():
        run = press(owner, block.command, origin=f"{lesson.slug}#{block.id}")
        assert run.exit_code == block.exit_code
        assert compare_output(block.example, plain_output(run)).sentence.startswith("Same")
