"""`manage.py restore <file>`: the rows of a backup, into an empty database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from course.backups import NotRestored, restore_backup


class Command(BaseCommand):
    help = "Puts the rows of a backup into a migrated, empty database: all of them, or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `manage.py backup` wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            counts = restore_backup(path)
        except NotRestored as error:
            raise CommandError(f"{error} Nothing was changed.") from error
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror or error}.") from error
        self.stdout.write(f"{sum(counts.values())} rows restored from {path}.")
        self.stdout.write("Labs start with their last saved files when their students press Run.")
