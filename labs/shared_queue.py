"""A worker's ear for labs that have no host yet: open only while this host is to take them.

What is asked of the database is asked in a thread, so that the worker's own loop never waits.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import bootsteps
from django.conf import settings
from django.db import DatabaseError, connection

from labs import hosts, queue
from labs.models import Host

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0


def _is_to_listen() -> bool:
    """A host that no worker has reported yet listens: its first sweep is to come."""
    host = Host.objects.filter(name=settings.LAB_HOST).first()
    return host is None or hosts.is_to_take_labs(host)


class ListenWithRoom(bootsteps.StartStopStep):
    """For every worker that was started on the shared queue."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._over = threading.Event()
        self._is_listening = True

    def include_if(self, consumer: Any) -> bool:
        return queue.SHARED in consumer.app.amqp.queues.consume_from

    def start(self, consumer: Any) -> None:
        self._over = threading.Event()
        # a broker that was lost comes back without a queue that was left to others
        self._is_listening = queue.SHARED in consumer.app.amqp.queues.consume_from
        threading.Thread(
            target=self._look, args=(consumer, self._over), name="shared-queue", daemon=True
        ).start()

    def stop(self, consumer: Any) -> None:
        self._over.set()

    def _look(self, consumer: Any, over: threading.Event) -> None:
        while not over.wait(LOOK_EVERY_S):
            try:
                self._set(consumer, _is_to_listen())
            except DatabaseError:  # else it would be the ear's end; a full host refuses by itself
                logger.exception("who takes new labs is not known just now")
            finally:
                connection.close()  # a thread of Celery's would keep it, but this one mostly sleeps

    def _set(self, consumer: Any, is_to_listen: bool) -> None:
        if is_to_listen == self._is_listening:
            return
        self._is_listening = is_to_listen
        change = consumer.add_task_queue if is_to_listen else consumer.cancel_task_queue
        logger.info("%s new labs", "taking" if is_to_listen else "leaving to others")
        consumer.call_soon(change, queue.SHARED)
