"""Fixtures of the whole path: a worker beside the real engine, as this run's settings say.

With the memory broker the worker is a thread of the tests' own process; with Redis it is a Celery
worker of its own, as in production.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from course.models import User
from labs.engine.base import Engine
from labs.engines import get_engine
from labs.models import Host, Run
from labs.queue import control_queues, queues_of_worker
from labs.receipts import output_of
from labs.requests import request_run
from labs.streams import close_readers
from tests.engine_fixtures import PATIENCE_S, wait_until

REPOSITORY = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def site_engine(lab_image: str) -> Iterator[Engine]:
    """The engine as the site itself makes it; every lab of this session is removed at the end."""
    settings.LAB_IMAGE = os.environ["LAB_IMAGE"] = lab_image
    yield get_engine()
    for status in get_engine().list_labs():
        get_engine().remove_lab(status.container_id)


@pytest.fixture(scope="session")
def quiet_worker(
    django_db_setup: None, django_db_blocker: Any, site_engine: Engine
) -> Iterator[None]:
    """A worker that serves the queues of this session, and does nothing unless it is rung for."""
    if settings.WORKER_IS_EMBEDDED:
        from labs.embedded import start_worker

        django_db_blocker.unblock()  # and never restored: its threads look at rows to the very end
        workers = start_worker()
        yield
        for worker in workers:
            worker.stop()
        return
    with django_db_blocker.unblock():
        process = start_worker_process()
    yield
    stop_process(process)


@pytest.fixture
def worker(quiet_worker: None) -> Iterator[None]:
    """The session's worker, and a beat that rings it to sweep: only for those who count on it,
    since a sweep takes up whatever rows another test has made."""
    from labs.embedded import start_beat

    beat = start_beat()
    yield
    beat.stop()


@pytest.fixture(scope="session")
def stream_readers(django_db_setup: None) -> Iterator[None]:
    """The threads that read rows for streams; they leave the database before it is removed."""
    yield
    close_readers()


def start_worker_process() -> subprocess.Popen[bytes]:
    """A Celery worker of its own on the tests' database; up when this returns."""
    queues = ",".join([*queues_of_worker("local"), *control_queues("local")])
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "-Q", queues]
    process = subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=os.environ | {"DATABASE_URL": url_of_test_database()},
        stdin=subprocess.DEVNULL,
    )
    wait_until(lambda: Host.objects.filter(seen_at__isnull=False).exists())
    return process


def stop_process(process: subprocess.Popen[bytes], with_signal: int = signal.SIGTERM) -> None:
    """Ends it; a worker that follows a run is not waited for longer than a few seconds."""
    process.send_signal(with_signal)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


def url_of_test_database() -> str:
    """The address of the tests' own database, for a process beside the tests."""
    server = os.environ.get("DATABASE_URL", "sqlite:///").rpartition("/")[0]
    return f"{server}/{connection.settings_dict['NAME']}"


@pytest.fixture
def press(transactional_db: None, worker: None) -> Callable[..., Run]:
    """Presses Run for somebody and waits until the run is over."""

    def press_and_wait(owner: User, line: str, **rest: Any) -> Run:
        return await_run(press_run(owner, line, **rest))

    return press_and_wait


def press_run(owner: User, line: str, **rest: Any) -> Run:
    """The run of one press of Run, as the page would ask for it."""
    fields = {"key": uuid.uuid4(), "origin": "checkpoints#resume"} | rest
    return request_run(owner=owner, line=line, **fields)


def await_run(run: Run, within_s: float = PATIENCE_S) -> Run:
    wait_until(lambda: not Run.objects.filter(pk=run.pk).active().exists(), within_s)
    run.refresh_from_db()
    return run


def await_output(run: Run, expected: bytes, within_s: float = PATIENCE_S) -> None:
    wait_until(lambda: expected in output_of(run), within_s)
