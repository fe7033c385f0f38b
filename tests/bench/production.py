"""A site of several processes on PostgreSQL and Redis, as docker-compose.yml arranges them.

Needs the services that `bin/with-services` names in the environment.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.browser import served
from tests.engine_fixtures import wait_until

POOL = {"DATABASE_POOL": "16"}
"""Of a worker, as in docker-compose.yml."""
SERVICES = ("DATABASE_URL", "CELERY_BROKER_URL", "CHANNEL_REDIS_URL")
PYTHON = (sys.executable, "-m")
CELERY = (*PYTHON, "celery", "-A", "config")
WORKER = ("--pool", "threads", "--prefetch-multiplier", "1", "--without-gossip", "--without-mingle")


@dataclass(frozen=True)
class Site:
    pages: str
    """Host and port."""
    streams: str
    env: Mapping[str, str]


@contextmanager
def serve_in_production(lab_image: str) -> Iterator[Site]:
    """Answering, with a worker; processes and labs are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="agent-lab-bench-") as folder, ExitStack() as running:
        env = served._environment(folder, lab_image) | {name: os.environ[name] for name in SERVICES}
        (Path(folder) / served.OWN_LESSONS).mkdir()
        served._prepare(env)
        running.callback(served._remove_labs, env["LAB_INSTALLATION"])
        pages, streams = (f"127.0.0.1:{served._free_port()}" for _ in range(2))
        for command in _commands(pages, streams, folder):
            is_worker = "worker" in command
            running.enter_context(_process(command, env | POOL if is_worker else env))
        for address in (pages, streams):
            wait_until(lambda a=address: served._answers(f"http://{a}"), within_s=30)
        yield Site(pages, streams, env)


def _commands(pages: str, streams: str, folder: str) -> Iterator[tuple[str, ...]]:
    yield (
        *(*PYTHON, "gunicorn", "config.wsgi", "--bind", pages, "--worker-class", "gthread"),
        *("--workers", "2", "--threads", "8", "--keep-alive", "10", "--log-level", "warning"),
    )
    host, port = streams.split(":")
    yield (
        *(*PYTHON, "uvicorn", "config.asgi:application", "--host", host, "--port", port),
        *("--log-level", "warning"),
    )
    queues = ("-Q", "labs,lab.local", "--concurrency", "64")
    yield (*CELERY, "worker", "--hostname", "runs@%h", *WORKER, *queues)
    queues = ("-Q", "labs.control,lab.local.control", "--concurrency", "8")
    yield (*CELERY, "worker", "--hostname", "control@%h", *WORKER, *queues)
    yield (*CELERY, "beat", "--schedule", str(Path(folder) / "beat"))


@contextmanager
def _process(command: tuple[str, ...], env: Mapping[str, str]) -> Iterator[None]:
    process = subprocess.Popen(
        command,
        cwd=served.REPOSITORY,
        env={**env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
