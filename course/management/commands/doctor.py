"""`manage.py doctor`: what this installation is, and what is to be mended."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from course.installation import look_over


class Command(BaseCommand):
    help = (
        "Looks over the installation and says what to mend; exits with 1 where there is anything."
    )
    # It reports what these would stop at.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        ill = 0
        for finding in look_over():
            self.stdout.write(f"{'well' if finding.is_well else 'MEND'}  {finding.words}")
            if finding.advice:
                ill += 1
                self.stdout.write(f"      {finding.advice}")
        if ill:
            raise CommandError(f"{ill} thing{'s' if ill > 1 else ''} to mend.")
