"""Celery's worker and beat as threads of this very process, for a site without a broker.

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


def start_worker(*, wait_s: float = 10) -> EmbeddedWorker:
    """A worker thread that serves the shared queue and this host's own, up when this returns."""
    app = _app()
    app.loader.import_default_modules()
    app.finalize()
    app.set_default()
    worker = EmbeddedWorker(
        app=app,
        pool_cls=settings.CELERY_WORKER_POOL,
        concurrency=settings.CELERY_WORKER_CONCURRENCY,
        queues=[queue.SHARED, queue.queue_of_host(settings.LAB_HOST)],
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        loglevel=logging.WARNING,
    )
    threading.Thread(target=worker.start, name="celery-worker", daemon=True).start()
    if not worker.is_up.wait(wait_s):
        raise RuntimeError(f"The embedded worker was not up after {wait_s} s.")
    return worker


def start_beat() -> Service:
    """A beat thread; its schedule is kept in memory, since every task of it may come twice."""
    service = Service(_app(), scheduler_cls=Scheduler)
    threading.Thread(target=service.start, name="celery-beat", daemon=True).start()
    return service


def _app() -> Celery:
    """The application itself: the proxy for it means another thing in each thread."""
    app: Celery = current_app._get_current_object()  # type: ignore[attr-defined] # a proxy's own
    return app
