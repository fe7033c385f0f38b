"""Celery's workers and beat as threads of this very process, for a site without a broker.

Nothing is shut down in order: every step of a run survives being cut off, so the process may end
at any moment and the next one carries on.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import Celery, current_app
from celery.beat import Scheduler, Service
from celery.worker import WorkController
from django.conf import settings

from labs import queue, tasks

logger = logging.getLogger(__name__)


class EmbeddedWorker(WorkController):
    def __init__(self, **options: Any) -> None:
        self.is_up = threading.Event()
        super().__init__(**options)

    def on_consumer_ready(self, consumer: Any) -> None:
        self.is_up.set()
        tasks.sweep_at_start()


def start_worker(*, wait_s: float = 10) -> tuple[EmbeddedWorker, EmbeddedWorker]:
    """A worker thread for runs and a small one for control, on this host's queues, both up when
    this returns. Runs may hold every thread of the first one: the second still hears Stop."""
    app = _app()
    app.loader.import_default_modules()
    app.finalize()
    app.set_default()
    runs = _make_worker(
        app, "runs", queue.queues_of_worker(settings.LAB_HOST), settings.CELERY_WORKER_CONCURRENCY
    )
    control = _make_worker(
        _second_app(),
        "control",
        queue.control_queues(settings.LAB_HOST),
        settings.LAB_CONTROL_CONCURRENCY,
    )
    for worker in (runs, control):
        if not worker.is_up.wait(wait_s):
            raise RuntimeError(f"The embedded worker was not up after {wait_s} s.")
    return runs, control


def _make_worker(app: Celery, name: str, queues: list[str], concurrency: int) -> EmbeddedWorker:
    worker = EmbeddedWorker(
        app=app,
        hostname=f"{name}@{settings.LAB_HOST}",
        pool_cls=settings.CELERY_WORKER_POOL,
        concurrency=concurrency,
        queues=queues,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        loglevel=logging.WARNING,
    )
    threading.Thread(target=worker.start, name=f"celery-{name}", daemon=True).start()
    return worker


def start_beat() -> Service:
    """A beat thread; its schedule is kept in memory, since every task of it may come twice."""
    service = Service(_app(), scheduler_cls=Scheduler)
    threading.Thread(target=service.start, name="celery-beat", daemon=True).start()
    return service


def _second_app() -> Celery:
    """With the same tasks and settings: which queues are listened to is kept in an application."""
    app = Celery("agent_lab_control", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    app.finalize()
    return app


def _app() -> Celery:
    """The application itself: the proxy for it means another thing in each thread."""
    app: Celery = current_app._get_current_object()  # type: ignore[attr-defined] # a proxy's own
    return app
