"""`manage.py lesson_diff <lesson>`: what becomes of answers and runs of a changed lesson."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from course.lessons.model import Lesson, LessonBroken
from course.lessons.parser import parse_lesson
from course.library import get_lesson, why_not_runnable
from course.versions import Fate, fates_of

NOUNS = {"gap": "answer", "block": "run"}


class Command(BaseCommand):
    help = "Says which gaps and blocks are kept, renamed or orphaned, and how many rows of each."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("lesson", help="the lesson's slug")
        parser.add_argument(
            "--before",
            type=Path,
            help="the folder of the lesson as it was; its name must be the slug. Without it, the "
            "versions that answers and runs were made with",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        lesson = get_lesson(options["lesson"])
        if lesson is None:
            raise CommandError(f"There is no lesson {options['lesson']!r} in LESSON_DIRS.")
        before = _read(options["before"]) if options["before"] else None
        for fate in fates_of(lesson, before):
            self.stdout.write(sentence_of(fate))


def sentence_of(fate: Fate) -> str:
    """The fate as one line."""
    rows = f"{fate.count} {NOUNS[fate.noun]}{'' if fate.count == 1 else 's'}"
    older = f", {fate.older} of an earlier version" if fate.older else ""
    word = f"renamed to {fate.new_id}, not re-mapped" if fate.new_id else fate.word
    return f"{fate.noun} {fate.id}: {word}, {rows}{older}"


def _read(folder: Path) -> Lesson:
    try:
        return parse_lesson(folder.resolve(), why_not_runnable)
    except LessonBroken as broken:
        raise CommandError(f"The lesson as it was can't be read:\n{broken}") from broken
