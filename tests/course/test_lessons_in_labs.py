"""Every command of the lessons that we ship, in order, in a student's lab on the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from course.lessons.parser import parse_lesson
from course.library import why_not_runnable
from course.outcomes import outcome_of
from labs.models import Lab
from labs.rendering import view_of_run
from tests.engine_fixtures import wait_until
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
def test_every_command_does_all_that_its_block_expects(press, lesson):
    owner = make_user()
    for block in lesson.blocks.values():
        run = press(owner, block.command, origin=f"{lesson.slug}#{block.id}")
        wait_until(lambda: not Lab.objects.get().unsaved_since_at)
        outcome = outcome_of(block, view_of_run(run))
        assert [tick for tick in outcome.ticks if not tick.holds] == []
        assert outcome.comparison.is_same
