"""`manage.py serve`: the whole site in one process, worker and beat included."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from labs import shutdown
from labs.embedded import start_beat, start_worker
from labs.patient_http import PatientProtocol

MESSAGE_BYTES = 4 * 1024 * 1024
"""Of a terminal's browser, which pastes half of it at most: no larger one is kept in memory."""


class Command(BaseCommand):
    help = "Serves the site; with the memory broker also runs Celery's worker and beat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--keep-labs", action="store_true", help="leave the labs running at the end"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        sys.setswitchinterval(0.001)  # a thread at work else holds up a key or a stream for 5 ms
        if settings.WORKER_IS_EMBEDDED:
            start_worker()
            start_beat()
        _spare_the_collector()
        self._serve(options["host"], options["port"])
        if settings.WORKER_IS_EMBEDDED and not options["keep_labs"]:
            self.stdout.write("Saving and stopping the labs …")
            shutdown.stop_labs_of_this_host()
        self._leave()

    def _serve(self, host: str, port: int) -> None:
        server = uvicorn.Server(
            uvicorn.Config(
                "config.asgi:application",
                host=host,
                port=port,
                log_level="warning",
                http=PatientProtocol,
                timeout_graceful_shutdown=2,
                ws_max_size=MESSAGE_BYTES,
                ws_per_message_deflate=False,  # it would cost each key of a terminal
            )
        )
        # The server raises the signal that ended it once more: both are to end the same way.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            server.run()
        except KeyboardInterrupt:
            self.stdout.write("")

    def _leave(self) -> None:
        """Without waiting for the worker's threads: a run that they follow goes on without us."""
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _spare_the_collector() -> None:
    """What was loaded at the start stays to the end: looking through it again takes longer than
    a press of Run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
