"""In which of its languages a reader reads a lesson: one choice for all lessons, in a cookie."""

from __future__ import annotations

from django.http import HttpRequest

from course.lessons.model import Lesson

COOKIE = "track"


def track_of(request: HttpRequest, lesson: Lesson) -> str:
    """The reader's choice where the lesson has it, else its first track; empty without tracks."""
    return lesson.pick_track(request.COOKIES.get(COOKIE, ""))


def as_read_by(request: HttpRequest, lesson: Lesson) -> Lesson:
    """The lesson in the reader's track: what they see and what counts for them."""
    return lesson.for_track(track_of(request, lesson))
