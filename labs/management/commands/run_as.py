"""`manage.py run_as <username> -- '<command>'`: the Run button without a browser."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from labs.embedded import start_beat, start_worker
from labs.models import Run
from labs.receipts import receipt_of
from labs.refusal import Refused
from labs.requests import request_run

ESCAPE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
LOOK_EVERY_S = 0.02
EXIT_CODE_OF_LOST = 125
SAVING_PATIENCE_S = 5


class Command(BaseCommand):
    help = "Runs a command in a student's lab by the path of the Run button; streams its output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("line", help="the command, quoted as one argument, after --")
        parser.add_argument("--json", action="store_true", help="print the receipt as JSON")
        parser.add_argument("--key", type=uuid.UUID, default=None, help="the press's key")
        parser.add_argument("--time-limit", type=int, default=60, help="seconds of running")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.WORKER_IS_EMBEDDED:
            start_worker()
            start_beat()
        run = self._request(options)
        self._follow(run, quiet=options["json"])
        if settings.WORKER_IS_EMBEDDED:
            self._wait_until_saved(run)
        if options["json"]:
            self.stdout.write(json.dumps(receipt_of(run)))
        elif run.detail:
            self.stderr.write(run.detail)
        self._leave(EXIT_CODE_OF_LOST if run.exit_code is None else run.exit_code)

    def _request(self, options: dict[str, Any]) -> Run:
        user_model = get_user_model()
        try:
            owner = user_model.objects.get_by_natural_key(options["username"])
        except user_model.DoesNotExist as error:
            raise CommandError(f"Nobody is called {options['username']!r} here.") from error
        try:
            return request_run(
                owner=owner,
                key=options["key"] or uuid.uuid4(),
                line=options["line"],
                origin="command line",
                time_limit_s=options["time_limit"],
            )
        except Refused as error:
            raise CommandError(str(error)) from error

    def _follow(self, run: Run, *, quiet: bool) -> None:
        """Prints what is stored as it is stored, until the run is over and all is printed."""
        end, told = 0, ""
        while True:
            run.refresh_from_db()
            if run.waiting_for != told:
                told = run.waiting_for
                self.stderr.write(told)
            for chunk in run.chunks.filter(offset__gte=end):
                end = chunk.end
                if not quiet:
                    self._print(bytes(chunk.data))
            if run.is_over:
                return
            time.sleep(LOOK_EVERY_S)

    def _print(self, data: bytes) -> None:
        """As it came; on a terminal without escapes, since a student wrote them for an admin."""
        if sys.stdout.isatty():
            data = ESCAPE.sub(b"", data)
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def _wait_until_saved(self, run: Run) -> None:
        """The worker ends with this process; a site that runs meanwhile would save as well."""
        give_up_at = time.monotonic() + SAVING_PATIENCE_S
        while time.monotonic() < give_up_at:
            run.lab.refresh_from_db()
            if run.lab.unsaved_since_at is None:
                return
            time.sleep(LOOK_EVERY_S)

    def _leave(self, exit_code: int) -> None:
        """Without waiting for the worker's threads: they would end only with their links."""
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_code)
