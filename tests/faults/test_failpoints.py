"""A failpoint kills where tests arm it, and nowhere else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.site_fixtures import REPOSITORY

pytestmark = pytest.mark.faults

SCRIPT = """
import django; django.setup()
from labs.failpoints import reach
for number in range(3):
    print(number, flush=True)
    reach("here")
"""


def reach_thrice(settings_module: str, armed: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=REPOSITORY,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": settings_module, "LAB_FAILPOINTS": armed},
        capture_output=True,
        timeout=120,
    )


def test_an_armed_point_kills_when_it_is_reached():
    done = reach_thrice("tests.faults.settings", "here")
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"0\n")


def test_a_point_may_be_armed_for_a_later_time():
    done = reach_thrice("tests.faults.settings", "here:2:SIGTERM")
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, b"0\n1\n")


def test_no_environment_arms_a_point_under_the_sites_own_settings():
    done = reach_thrice("config.settings", "here")
    assert (done.returncode, done.stdout) == (0, b"0\n1\n2\n")
