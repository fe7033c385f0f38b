"""`manage.py backup <file>`: every row of the site, checkpoints included, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from course.backups import write_backup


class Command(BaseCommand):
    help = "Writes every row of the site into a file, while people work on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a new file, such as monday.jsonl.gz")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            counts = write_backup(path)
        except FileExistsError as error:
            raise CommandError(f"{path} is there already. Name a new file.") from error
        except OSError as error:
            raise CommandError(f"{path} can't be written: {error.strerror}.") from error
        size_bytes = path.stat().st_size
        self.stdout.write(f"{sum(counts.values())} rows in {path} ({size_bytes} bytes).")
