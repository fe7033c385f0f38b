"""The engine: found where it runs, never started twice, pid files of the dead removed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bin.conftest import Checkout


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def seconds_of(checkout: Checkout) -> float:
    began = time.monotonic()
    assert checkout.run("ensure-docker").returncode == 0
    return time.monotonic() - began


@pytest.mark.docker
def test_an_engine_that_answers_already_costs_nothing(repo: Checkout) -> None:
    repo.run("ensure-docker")

    # the quickest of five, since other work may hold the machine up
    assert min(seconds_of(repo) for _ in range(5)) < 1.0


@pytest.mark.docker
def test_an_engine_that_others_started_leaves_no_pid_file(repo: Checkout, tmp_path: Path) -> None:
    repo.run("ensure-docker")

    repo.run("ensure-docker", "--pid-file", str(tmp_path / "engine.pid"))

    assert list(tmp_path.iterdir()) == []


def test_a_wrong_docker_host_is_named_and_nothing_started(checkout: Checkout) -> None:
    before = checkout.files()

    result = checkout.run("ensure-docker", env={"DOCKER_HOST": "unix:///nowhere/docker.sock"})

    assert result.returncode == 1
    assert "DOCKER_HOST=unix:///nowhere/docker.sock" in result.stderr
    assert checkout.files() == before


def test_the_pid_file_of_a_dead_process_is_removed(
    repo: Checkout, tmp_path: Path, dead_pid: int
) -> None:
    pid_file = tmp_path / "docker.pid"
    pid_file.write_text(f"{dead_pid}")

    repo.run("remove-stale-pid-file", str(pid_file), "dockerd")

    assert not pid_file.exists()


def test_the_pid_file_is_removed_when_another_program_has_got_the_number(
    repo: Checkout, tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    pid_file = tmp_path / "docker.pid"
    pid_file.write_text(f"{sleeper.pid}")

    repo.run("remove-stale-pid-file", str(pid_file), "dockerd")

    assert not pid_file.exists()
    assert sleeper.poll() is None


def test_the_pid_file_of_a_living_program_stays(
    repo: Checkout, tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    pid_file = tmp_path / "sleep.pid"
    pid_file.write_text(f"{sleeper.pid}")

    repo.run("remove-stale-pid-file", str(pid_file), "sleep")

    assert pid_file.exists()


def test_an_empty_pid_file_is_removed(repo: Checkout, tmp_path: Path) -> None:
    pid_file = tmp_path / "docker.pid"
    pid_file.touch()

    repo.run("remove-stale-pid-file", str(pid_file), "dockerd")

    assert not pid_file.exists()


def test_stopping_the_engine_never_ends_a_process_that_is_none(
    repo: Checkout, tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    pid_file = tmp_path / "engine.pid"
    pid_file.write_text(f"{sleeper.pid}")

    assert repo.run("stop-docker", str(pid_file)).returncode == 0

    assert sleeper.poll() is None
    assert not pid_file.exists()


def test_packages_that_are_there_need_no_root(repo: Checkout) -> None:
    assert repo.run("ensure-packages", "bash", "coreutils").returncode == 0
