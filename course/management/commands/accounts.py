"""`manage.py accounts`: shows the demo accounts and their passwords again."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from course.demo import read_passwords


class Command(BaseCommand):
    help = "Shows the demo accounts and their passwords."

    def handle(self, *args: Any, **options: Any) -> None:
        passwords = read_passwords(settings.DEMO_ACCOUNTS_FILE)
        if not passwords:
            self.stdout.write("There are no demo accounts yet: `make run` makes them.")
        for username, password in passwords.items():
            self.stdout.write(f"  {username:<10} {password}")
