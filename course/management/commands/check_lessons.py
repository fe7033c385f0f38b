"""`manage.py check_lessons`: every mistake in every lesson, with its file and line."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from course.library import lesson_errors, list_lessons


class Command(BaseCommand):
    help = "Reads every lesson of LESSON_DIRS and tells each mistake; exits with 1 if there is one."
    # They would stop at a broken lesson before this command could name all of its mistakes.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        errors = lesson_errors()
        for error in errors:
            self.stdout.write(str(error))
        if errors:
            raise CommandError(f"{len(errors)} mistake{'s' if len(errors) > 1 else ''} to mend.")
        for lesson in list_lessons():
            self.stdout.write(f"{lesson.slug}: fine")
