"""Sites to be broken: a host of its own each, with processes that serve nobody else.

A worker is what this run's settings say: the whole site in one process, or a Celery worker beside
the tests, which then play the web process.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from course.models import User
from labs.engine.docker_engine import DockerEngine
from labs.models import Host, Lab, Run
from labs.queue import control_queues, queues_of_worker
from labs.requests import request_stop_lab, request_stop_run
from tests.engine_fixtures import wait_until
from tests.factories import make_user
from tests.faults.counted import ENGINE
from tests.site_fixtures import REPOSITORY, await_run, press_run, url_of_test_database

WRITE = "docker exec agent sh -c 'echo kept > note'"
AT_ONCE = 5
ANSWERED_WITHIN_S = 20
DIES_WITHIN_S = 120


class Site:
    """One host, its students, and whichever of its processes live just now."""

    def __init__(self, engine_url: str = ENGINE) -> None:
        self.name = f"faults-{uuid.uuid4().hex[:8]}"
        self.host = Host.objects.create(name=self.name)
        self.engine = DockerEngine(self.name, base_url=engine_url)
        self._engine_url = engine_url
        self.port = 0
        self._processes: list[subprocess.Popen[bytes]] = []

    def make_student(self) -> User:
        """A student whose lab belongs to this host, so that no other worker hears of it."""
        student = make_user(f"student-{uuid.uuid4().hex[:8]}")
        Lab.objects.create(owner=student, host=self.host)
        return student

    def press(self, line: str, owner: User | None = None) -> Run:
        """A press that was written down, but that no whole-site process hears of by a ring."""
        return press_run(owner or self.make_student(), line)

    def press_live(self, line: str, owner: User | None = None) -> Run:
        """A press in the web process, from where it is rung for.

        Its answer may be cut off: a run that kills the process may begin before it is sent.
        """
        if not settings.WORKER_IS_EMBEDDED:
            return self.press(line, owner)
        owner = owner or self.make_student()
        key = uuid.uuid4()
        with answer_may_be_cut_off():
            self.post_press(owner.username, key, line)
        return Run.objects.get(owner=owner, key=key)

    def have_files(self) -> Run:
        """A student's first run, over, with a note that says `kept` saved."""
        run = await_run(self.press_live(WRITE))
        wait_until(lambda: Lab.objects.filter(pk=run.lab_id, unsaved_since_at=None).exists())
        return run

    def post_press(self, username: str, key: uuid.UUID, line: str) -> str:
        """The run's id. Raises OSError or HTTPException where the web process dies on it."""
        fields = {"username": username, "key": str(key), "line": line}
        return self._post("press", **fields)

    def stop_run_live(self, run: Run) -> None:
        """Its owner's press on Stop, in the web process."""
        if not settings.WORKER_IS_EMBEDDED:
            request_stop_run(run)
            return
        self._post("stop-run", run=run.pk)

    def stop_lab_live(self, lab: Lab) -> None:
        """An admin's press on Stop, in the web process. It may be what kills it."""
        if not settings.WORKER_IS_EMBEDDED:
            request_stop_lab(lab, actor=lab.owner)
            return
        with answer_may_be_cut_off():
            self._post("stop-lab", lab=lab.pk)

    def _post(self, path: str, **fields: object) -> str:
        body = urlencode(fields).encode()
        with urlopen(f"{self.address}/{path}", body, ANSWERED_WITHIN_S) as response:
            return str(response.read().decode())

    def read_as(self, owner: User, path: str) -> str:
        """A page or a whole stream of the web process, as somebody who is logged in reads it."""
        client = Client()
        client.force_login(owner, backend="course.backends.AccountBackend")
        cookie = {"Cookie": f"sessionid={client.cookies['sessionid'].value}"}
        with urlopen(Request(f"{self.address}{path}", headers=cookie), timeout=120) as response:
            return str(response.read().decode())

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """The newest one takes the presses."""
        self.port = free_port()
        return self.start(*worker_command(self), **environment)

    def start_ready_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """A worker that has looked round once, and hears what is rung from now on."""
        began_at = timezone.now()
        process = self.start_worker(**environment)
        await_sweep(self.host, began_at)
        self._await_web()
        return process

    def start_freezing_worker(self, failpoints: str) -> subprocess.Popen[bytes]:
        """One without a beat: only the run's own thread writes in it when it is stopped, so that
        it never keeps the database locked."""
        return self.start_ready_worker(LAB_FAILPOINTS=failpoints, LAB_WITHOUT_BEAT="yes")

    def start_web(self, **environment: str) -> subprocess.Popen[bytes]:
        """A web process that takes presses; with the memory broker a worker, too."""
        self.port = free_port()
        process = self.start(*web_command(self), **environment)
        await_port(self.port)
        return process

    def _await_web(self) -> None:
        if settings.WORKER_IS_EMBEDDED:
            await_port(self.port)

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
            "DOCKER_HOST": self._engine_url,
        }

    def find_container(self, run: Run) -> str:
        """The id of the container that stands behind the run's lab just now."""
        status = self.engine.find_lab(str(run.lab_id))
        assert status is not None
        return status.container_id

    def close(self) -> None:
        """Ends whatever still lives."""
        for process in self._processes:
            end(process)
        for status in self.engine.list_labs():
            self.engine.remove_lab(status.container_id)


def worker_command(site: Site) -> tuple[str, ...]:
    return web_command(site) if settings.WORKER_IS_EMBEDDED else celery_command(site)


def web_command(site: Site) -> tuple[str, ...]:
    """The web process; with the memory broker it is the worker and the beat, too."""
    return ("manage.py", "serve", "--port", str(site.port), "--keep-labs")


def celery_command(site: Site) -> tuple[str, ...]:
    """A Celery worker, and the beat as its child."""
    schedule = str(settings.VAR_DIR / f"beat-{uuid.uuid4().hex}")
    queues = ",".join([*queues_of_worker(site.name), *control_queues(site.name)])
    celery = ("-m", "celery", "-A", "config", "worker", "-Q", queues)
    return (*celery, "--beat", "--schedule", schedule, "--loglevel", "WARNING")


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def answer_may_be_cut_off() -> AbstractContextManager[None]:
    """Around what a process is asked that may be killed or frozen by the very deed."""
    return suppress(OSError, HTTPException)


def await_sweep(host: Host, since: datetime) -> None:
    """Until a worker of this host has reported it once more."""
    wait_until(Host.objects.filter(pk=host.pk, seen_at__gte=since).exists)


def await_port(port: int) -> None:
    """Until somebody listens there."""

    def is_open() -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", port)) == 0

    wait_until(is_open)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills it and all that it started. Already dead is success."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def await_freeze(process: subprocess.Popen[bytes]) -> None:
    """Until the process has been stopped, as at its failpoint; SIGCONT thaws it."""
    stat = Path(f"/proc/{process.pid}/stat")
    wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", DIES_WITHIN_S)


def freeze(process: subprocess.Popen[bytes]) -> None:
    """Stops it while nobody else may write, so that it never keeps the database locked."""
    with transaction.atomic():
        process.send_signal(signal.SIGSTOP)
        await_freeze(process)


def thaw(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGCONT)


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
