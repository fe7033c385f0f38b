"""`manage.py seed_demo`: the demo class and its accounts, made where they are missing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from course.demo import ensure_demo


class Command(BaseCommand):
    help = "Makes the demo class and its accounts; called twice it changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        ensure_demo(settings.DEMO_ACCOUNTS_FILE)
