"""Sites to be broken: a host of its own each, with worker processes that serve nobody else.

A worker is what this run's settings say: the whole site in one process, or a Celery worker.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.db import connection

from course.models import User
from labs.engine.docker_engine import DockerEngine
from labs.models import Host, Lab, Run
from tests.factories import make_user
from tests.site_fixtures import REPOSITORY, press_run, url_of_test_database

AT_ONCE = 5
DIES_WITHIN_S = 25


class Site:
    """One host, its students, and whichever of its processes live just now."""

    def __init__(self) -> None:
        self.name = f"faults-{uuid.uuid4().hex[:8]}"
        self.host = Host.objects.create(name=self.name)
        self.engine = DockerEngine(self.name)
        self._processes: list[subprocess.Popen[bytes]] = []

    def make_student(self) -> User:
        """A student whose lab belongs to this host, so that no other worker hears of it."""
        student = make_user(f"student-{uuid.uuid4().hex[:8]}")
        Lab.objects.create(owner=student, host=self.host)
        return student

    def press(self, line: str, owner: User | None = None) -> Run:
        return press_run(owner or self.make_student(), line)

    def start_worker(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        return self.start(*(arguments or worker_command(self.name)), **environment)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """A Python process on the tests' database, as a part of this site."""
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=REPOSITORY,
            env=self._environment() | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._processes.append(process)
        return process

    def _environment(self) -> dict[str, str]:
        return os.environ | {
            "DJANGO_SETTINGS_MODULE": "tests.faults.settings",
            "DATABASE_URL": url_of_test_database(),
            "LAB_HOST": self.name,
            "LAB_INSTALLATION": self.name,
        }

    def close(self) -> None:
        """Ends whatever still lives."""
        for process in self._processes:
            end(process)
        for status in self.engine.list_labs():
            self.engine.remove_lab(status.container_id)


def worker_command(host: str) -> tuple[str, ...]:
    if settings.WORKER_IS_EMBEDDED:
        return ("manage.py", "serve", "--port", "0", "--keep-labs")
    schedule = str(settings.VAR_DIR / f"beat-{uuid.uuid4().hex}")
    queues = f"labs,lab.{host}"
    celery = ("-m", "celery", "-A", "config", "worker", "-Q", queues)
    return (*celery, "--beat", "--schedule", schedule, "--loglevel", "WARNING")


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills it and all that it started. Already dead is success."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def await_death(process: subprocess.Popen[bytes]) -> None:
    """Until the process has died at its failpoint, which proves that it got there."""
    assert process.wait(DIES_WITHIN_S) == -signal.SIGKILL
    end(process)


def all_at_once(scenario: Callable[[Any], object], cases: Iterable[Any]) -> dict[Any, object]:
    """What each case came to. Most of a scenario is waiting, so that many of them share that."""

    def play(case: Any) -> object:
        try:
            return scenario(case)
        finally:
            connection.close()

    cases = list(cases)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(cases, pool.map(play, cases), strict=True))
