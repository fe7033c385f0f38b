"""`manage.py new_lesson <slug>`: a lesson with a comment at each part, to be written over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from course.lessons.problems import ID, ID_HINT

STARTER = Path(__file__).parents[2] / "starter"


class Command(BaseCommand):
    help = "Writes the folder of a new lesson, which works at once, into the first of LESSON_DIRS."
    # Another lesson may be broken just now.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the folder's name, and the lesson's address")
        parser.add_argument("--title", default="", help="the lesson's title")
        parser.add_argument("--into", type=Path, help="the folder of lessons to write it into")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        if not ID.fullmatch(slug):
            raise CommandError(f"{slug!r} can't be a lesson's name. {ID_HINT}")
        folder = (options["into"] or Path(settings.LESSON_DIRS[0])) / slug
        title = options["title"] or slug.replace("-", " ").capitalize()
        try:
            folder.mkdir()
        except OSError as error:
            raise CommandError(f"{folder} can't be made: {error.strerror}.") from error
        for name in ("lesson.md", "guide.md"):
            text = (STARTER / name).read_text(encoding="utf-8")
            text = text.replace("title: TITLE", f"title: {_quoted(title)}").replace("SLUG", slug)
            (folder / name).write_text(text, encoding="utf-8")
        self.stdout.write(f"{folder / 'lesson.md'}\nThen: manage.py check_lessons")


def _quoted(title: str) -> str:
    """As YAML reads it back, whatever signs are in it."""
    return "'" + title.replace("'", "''") + "'"
