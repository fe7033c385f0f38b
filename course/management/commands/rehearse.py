"""`manage.py rehearse <lesson>`: every command of a lesson in fresh labs, before students do."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from course.library import get_lesson
from course.rehearsal import rehearse
from labs.engine.base import EngineError


class Command(BaseCommand):
    help = "Runs every command of a lesson in fresh labs, tells and stores what has drifted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("lesson", help="the lesson's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        lesson = get_lesson(options["lesson"])
        if lesson is None:
            raise CommandError(f"There is no lesson {options['lesson']!r} in LESSON_DIRS.")
        try:
            rehearsal = rehearse(lesson, self.stdout.write)
        except EngineError as error:
            raise CommandError(f"The lab machine said no, nothing was stored: {error}") from error
        if not rehearsal.is_good:
            raise CommandError(f"{lesson.slug} has drifted from what the lesson shows.")
        self.stdout.write(f"{lesson.slug} is good with image {rehearsal.short_image}.")
