"""Rings for a worker, by task name, so that the web side imports neither tasks nor engine.

A ring that fails is logged and no more: the wish is a row, and the sweeper rings again.
"""

from __future__ import annotations

import logging
import uuid
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from labs.failpoints import reach
from labs.models import Host, ImageBuild, Lab, Muster, Run, Wish

logger = logging.getLogger(__name__)

SHARED = "labs"
"""For labs that have no host yet: whichever worker takes it owns the lab from then on."""


CONTROL = "labs.control"
"""For what must not wait behind threads that follow runs: Stop, and the sweeps."""


def queue_of_host(name: str) -> str:
    return f"lab.{name}"


def control_of_host(name: str) -> str:
    return f"lab.{name}.control"


def queues_of_worker(host_name: str) -> list[str]:
    """What the worker that runs commands on this host listens to."""
    return [SHARED, queue_of_host(host_name)]


def control_queues(host_name: str) -> list[str]:
    """What the second, small worker of this host listens to."""
    return [CONTROL, control_of_host(host_name)]


def enqueue_run(run: Run, *, host: Host | None = None) -> None:
    """On the queue of `host`, where that one has room for it just now and any host would do."""
    queue = queue_of_host(host.name) if host else _queue_of(run.lab)
    _after_commit("labs.tasks.execute_run", run.pk, queue)


def enqueue_stop_run(run: Run) -> None:
    _after_commit("labs.tasks.stop_run", run.pk, _control_of(run.lab))


def enqueue_stop_lab(lab: Lab) -> None:
    _after_commit("labs.tasks.stop_lab", lab.pk, _control_of(lab))


def enqueue_build(build: ImageBuild) -> None:
    _after_commit("labs.tasks.build_image", build.pk, queue_of_host(build.host.name))


def enqueue_wish(wish: Wish) -> None:
    _after_commit("labs.tasks.fulfil_wish", wish.pk, _control_of(wish.lab))


def enqueue_muster(muster: Muster) -> None:
    _after_commit("labs.tasks.carry_out_muster", muster.pk, _queue_of(muster.lab))


def enqueue_samples_of_host(host: Host) -> None:
    _after_commit("labs.tasks.sample_host", host.pk, control_of_host(host.name))


def enqueue_sweep_of_host(host: Host) -> None:
    _after_commit("labs.tasks.sweep_host", host.pk, control_of_host(host.name))


def _queue_of(lab: Lab) -> str:
    return queue_of_host(lab.host.name) if lab.host else SHARED


def _control_of(lab: Lab) -> str:
    return control_of_host(lab.host.name) if lab.host else CONTROL


def _after_commit(task: str, key: uuid.UUID | int, queue: str) -> None:
    transaction.on_commit(partial(_send, task, str(key), queue))


def _send(task: str, key: str, queue: str) -> None:
    reach(f"before_{task}")
    try:
        current_app.send_task(task, args=[key], queue=queue)
    except (OperationalError, OSError) as error:
        logger.warning("%s(%s) was not rung: %s", task, key, error)
