"""`manage.py rehearse <lesson>`: every command of a lesson in fresh labs, before students do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from course.lessons.model import Lesson
from course.library import get_lesson, list_lessons
from course.models import Rehearsal
from course.rehearsal import rehearse, try_out
from labs.engine.base import EngineError

Rehearse = Callable[[Lesson, Callable[[str], object]], Rehearsal]


class Command(BaseCommand):
    help = "Runs every command of lessons in fresh labs, tells and stores what has drifted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("lessons", nargs="*", help="slugs; all of LESSON_DIRS when left out")
        parser.add_argument(
            "--unstored",
            action="store_true",
            help="store nothing, and need no database: for a check of the lessons themselves",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        lessons = [_find(slug) for slug in options["lessons"]] or list_lessons()
        rehearse_one = try_out if options["unstored"] else rehearse
        # All of them, so that one run tells of every drift.
        drifted = [one.slug for one in lessons if not self._is_good(one, rehearse_one)]
        if drifted:
            verb = "has" if len(drifted) == 1 else "have"
            names = " and ".join(drifted)
            raise CommandError(f"{names} {verb} drifted from what the lesson shows.")

    def _is_good(self, lesson: Lesson, rehearse_one: Rehearse) -> bool:
        try:
            rehearsal = rehearse_one(lesson, self.stdout.write)
        except EngineError as error:
            raise CommandError(f"The lab machine said no, nothing was stored: {error}") from error
        if rehearsal.is_good:
            self.stdout.write(f"{lesson.slug} is good with image {rehearsal.short_image}.")
        return rehearsal.is_good


def _find(slug: str) -> Lesson:
    lesson = get_lesson(slug)
    if lesson is None:
        raise CommandError(f"There is no lesson {slug!r} in LESSON_DIRS.")
    return lesson
