"""How the scripts report: a step's time, the end of a failed step's output, the exit code."""

from __future__ import annotations

import re
import subprocess

from tests.bin.conftest import REPO


def bash(script: str) -> subprocess.CompletedProcess[str]:
    source = f'source "{REPO}/bin/lib.sh"\n{script}'
    return subprocess.run(["bash", "-c", source], capture_output=True, text=True, timeout=60)


def test_a_step_prints_its_name_and_its_time_only() -> None:
    result = bash("step 'Database' echo hidden")

    assert re.fullmatch(r"Database +\d+\.\d\d s\n", result.stdout)


def test_a_remark_of_the_step_stands_behind_its_time() -> None:
    result = bash("step 'Engine' echo '# started by systemd'")

    assert re.fullmatch(r"Engine +\d+\.\d\d s  started by systemd\n", result.stdout)


def test_a_failed_step_shows_what_it_said_and_ends_the_script() -> None:
    result = bash("step 'Database' bash -c 'echo locked; exit 3'\necho never")

    assert result.returncode == 1
    assert "never" not in result.stdout
    assert "locked" in result.stderr
    assert 'The step "Database" failed' in result.stderr


def test_a_step_stops_at_its_first_failing_line() -> None:
    result = bash("work() { false; echo went on; }\nstep 'Work' work")

    assert result.returncode == 1
    assert "went on" not in result.stderr
