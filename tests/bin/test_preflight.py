"""What would stop a set-up is said at once, in words, with nothing changed."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bin.conftest import Checkout

TOOLS = ["bash", "cat", "chmod", "cut", "df", "dirname", "docker", "env", "find", "grep", "id"]
TOOLS += ["mktemp", "readlink", "rm", "sed", "sort", "tail", "timeout"]


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.fixture
def old_python_path(tmp_path: Path) -> str:
    """A PATH with the usual tools, on which the only Python is 3.9."""
    folder = tmp_path / "old"
    folder.mkdir()
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name) or name)
    python = folder / "python3"
    python.write_text('#!/bin/sh\ncase "$2" in *platform*) echo 3.9.2 ;; *) exit 1 ;; esac\n')
    python.chmod(0o755)
    return str(folder)


@pytest.mark.docker
def test_a_machine_that_has_everything_passes(repo: Checkout) -> None:
    repo.run("ensure-docker")

    result = repo.run("preflight")

    assert (result.returncode, result.stderr) == (0, "")


def test_a_taken_port_is_named_with_a_free_way_out(checkout: Checkout, taken_port: int) -> None:
    before = checkout.files()

    result = checkout.run("preflight", "--port", str(taken_port))

    assert result.returncode == 1
    assert f"Port {taken_port} is taken" in result.stderr
    assert f"make run PORT={taken_port + 1}" in result.stderr
    assert checkout.files() == before


def test_make_run_changes_nothing_while_the_port_is_taken(
    checkout: Checkout, taken_port: int
) -> None:
    before = checkout.files()

    result = checkout.run("run", env={"PORT": str(taken_port)})

    assert result.returncode == 1
    assert "Nothing was changed" in result.stderr
    assert checkout.files() == before


def test_a_port_must_be_a_number_of_a_port(checkout: Checkout) -> None:
    assert "PORT=http is no port" in checkout.run("preflight", "--port", "http").stderr
    assert "PORT=70000 is no port" in checkout.run("preflight", "--port", "70000").stderr


def test_an_old_python_is_refused_with_the_version_that_was_found(
    checkout: Checkout, old_python_path: str
) -> None:
    before = checkout.files()

    result = checkout.run("preflight", env={"PATH": old_python_path})

    assert result.returncode == 1
    assert "Python 3.11 or newer is needed; python3 here is 3.9.2." in result.stderr
    assert checkout.files() == before


def test_every_problem_is_said_in_one_go(checkout: Checkout, old_python_path: str) -> None:
    env = {"PATH": old_python_path, "DOCKER_HOST": "unix:///nowhere/docker.sock"}

    result = checkout.run("preflight", env=env)

    assert "Python 3.11 or newer" in result.stderr
    assert "No Docker engine answers" in result.stderr
