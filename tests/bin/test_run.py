"""`make run` as a person meets it: steps with times, accounts, a site, and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bin.conftest import REPO
from tests.engine_fixtures import wait_until

pytestmark = pytest.mark.docker
LAST_LINE = "Ctrl-C stops the site."


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[str]
    port: int
    said: str
    """What was printed before the site was started."""

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2):
                return True
        except OSError:
            return False

    def press_ctrl_c(self) -> int:
        """The exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=60)


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return int(tried.getsockname()[1])


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    port = free_port()
    env = os.environ | {"PORT": str(port), "VAR_DIR": str(tmp_path), "LAB_INSTALLATION": "run-test"}
    with subprocess.Popen(
        # a run in the background may have left Ctrl-C ignored
        ["env", "--default-signal=INT", str(REPO / "bin" / "run")],
        env=env | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = ""
        while LAST_LINE not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        served = Served(process, port, said)
        wait_until(served.answers)
        yield served
        process.send_signal(signal.SIGINT)


def test_it_prints_steps_with_times_the_accounts_and_the_address(served: Served) -> None:
    for step in ("Python environment", "Docker engine", "Database", "Static files", "Demo class"):
        assert re.search(rf"^{step} +\d+\.\d\d s", served.said, re.MULTILINE)
    for account in ("admin", "teacher", "student1", "student2"):
        assert re.search(rf"^ +{account} +\S+", served.said, re.MULTILINE)
    assert f"http://127.0.0.1:{served.port}/" in served.said


def test_ctrl_c_ends_the_site_in_good_order(served: Served) -> None:
    assert served.press_ctrl_c() == 0

    assert not served.answers()
