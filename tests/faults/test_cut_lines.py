"""The worker's line to the lab's supervisor is cut, though the lab lives."""

from __future__ import annotations

import subprocess

import pytest

from labs.models import Run
from tests.engine_fixtures import wait_until
from tests.faults.counted import PROMISED_S, await_outcome, counted_line, once, output_of_lines
from tests.site_fixtures import await_output

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

LINES = 100
LONG = counted_line(LINES, every_s=0.05)


def test_a_line_that_is_cut_again_and_again_is_opened_again_and_no_output_is_missed(site):
    run = site.press(LONG)
    site.start_worker()
    for number in range(10, LINES - 20, 10):
        await_output(run, b"line %d\n" % number)
        cut_line(site.find_container(run))
    assert await_outcome(run, PROMISED_S) == once(output_of_lines(LINES))
    assert not run.waiting_for


def test_a_line_that_is_cut_while_the_command_is_quiet_is_opened_again(site):
    run = site.press("docker exec agent sh -c 'echo once > executions; sleep 5; exit 7'")
    site.start_worker()
    wait_until(lambda: Run.objects.filter(state=Run.State.RUNNING))
    cut_line(site.find_container(run))
    assert await_outcome(run, PROMISED_S) == once(b"")


def cut_line(container: str) -> None:
    """Kills the relay inside the container, as soon as there is one."""
    command = ["docker", "exec", "--user", "0:0", container, "pkill", "-KILL", "-x", "nc"]
    wait_until(lambda: subprocess.run(command, check=False, timeout=120).returncode == 0)
