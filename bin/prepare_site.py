"""Brings the site's rows and files up to date, each step with its time, and shows the accounts.

One process for all of it, since every start of Django takes a second. Run by bin/setup; with
names of commands it runs only those.
"""

import io
import os
import sys
import time
from pathlib import Path

STEPS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("Database", "migrate", {"interactive": False, "verbosity": 0}),
    ("Static files", "collectstatic", {"interactive": False, "verbosity": 0}),
    ("Lessons and settings", "check", {}),
    ("Demo class", "seed_demo", {}),
)


def main(wanted: list[str]) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    for name, command, options in STEPS:
        if not wanted or command in wanted:
            run_step(name, command, options)
    show_accounts()


def show_accounts() -> None:
    from django.core.management import call_command

    sys.stdout.write("\n")
    call_command("accounts")


def run_step(name: str, command: str, options: dict[str, object]) -> None:
    from django.core.management import CommandError, call_command

    began = time.monotonic()
    said = io.StringIO()
    sys.stdout.write(f"{name:<48} ")
    sys.stdout.flush()
    try:
        call_command(command, stdout=said, stderr=said, **options)
    except CommandError as error:
        sys.stdout.write(f"failed after {time.monotonic() - began:.2f} s\n")
        sys.exit(f"{said.getvalue()}{error}")
    sys.stdout.write(f"{time.monotonic() - began:9.2f} s\n")


if __name__ == "__main__":
    main(sys.argv[1:])
