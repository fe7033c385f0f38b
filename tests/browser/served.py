"""A real site for browsers: `manage.py serve` in a process of its own, with rows and labs of its
own."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from tests.engine_fixtures import wait_until

REPOSITORY = Path(__file__).parent.parent.parent
LESSON_DIRS = "tests/lessons,course/content"
OWN_LESSONS = "lessons"
"""A folder below VAR_DIR for lessons that a test writes."""
# The tests' own settings are in the environment: the site is to have the defaults.
NOT_INHERITED = (
    "DJANGO_SETTINGS_MODULE",
    "DATABASE_URL",
    "CELERY_BROKER_URL",
    "CHANNEL_REDIS_URL",
    "STATICFILES_BACKEND",
)


@dataclass(frozen=True)
class ServedSite:
    """Where it is, and who can log in."""

    url: str
    passwords: Mapping[str, str]
    """Of the demo accounts."""
    env: Mapping[str, str]
    """What its process was started with, for commands on the same rows."""


@contextmanager
def serve_site(lab_image: str, var_dir: str = "") -> Iterator[ServedSite]:
    """A site with the demo class, answering; its process and labs are gone afterwards, and its
    files, unless they are in a `var_dir` of the caller's."""
    with nullcontext(var_dir) if var_dir else _own_folder() as folder:
        env, port = _environment(folder, lab_image), _free_port()
        Path(folder, OWN_LESSONS).mkdir()
        _prepare(env)
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=REPOSITORY,
            env=env,
            stdin=subprocess.DEVNULL,
        )
        try:
            yield _when_up(process, f"http://127.0.0.1:{port}", env)
        finally:
            _end(process)
            _remove_labs(env["LAB_INSTALLATION"])


def _own_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="agent-lab-browser-")


def own_environment() -> dict[str, str]:
    """This process's, but for what says whose rows and which broker are meant."""
    return {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}


def _environment(folder: str, lab_image: str) -> dict[str, str]:
    return own_environment() | {
        "VAR_DIR": folder,
        "LAB_INSTALLATION": f"browser-{uuid.uuid4().hex[:8]}",
        "LAB_FIRST_UID": str(random.randrange(4_000_000, 6_000_000)),
        "LAB_IMAGE": lab_image,
        "LAB_RUNS_PER_MINUTE": "1000",
        "LESSON_DIRS": f"{LESSON_DIRS},{folder}/{OWN_LESSONS}",
    }


def _prepare(env: Mapping[str, str]) -> None:
    """Database, static files and demo class, as `make run` makes them."""
    done = subprocess.run(
        [sys.executable, "bin/prepare_site.py"],
        cwd=REPOSITORY,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _when_up(process: subprocess.Popen[bytes], url: str, env: Mapping[str, str]) -> ServedSite:
    wait_until(lambda: process.poll() is not None or _answers(url))
    assert process.poll() is None, "the site ended at once; its last words are above"
    accounts = Path(env["VAR_DIR"]) / "demo-accounts.json"
    return ServedSite(url, json.loads(accounts.read_text()), env)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


def _remove_labs(installation: str) -> None:
    """Whatever the site could not stop itself."""
    label = f"label=agent-lab.installation={installation}"
    listed = subprocess.run(
        ["docker", "ps", "--all", "--quiet", "--filter", label],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if ids := listed.stdout.split():
        subprocess.run(
            ["docker", "rm", "--force", *ids], check=True, stdout=subprocess.DEVNULL, timeout=60
        )
