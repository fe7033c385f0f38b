"""Paused labs, and labs that were started anew behind our back."""

from __future__ import annotations

import subprocess

import pytest

from labs.engine.base import LabGone
from labs.engine.docker_engine import DockerEngine
from tests.engine_fixtures import ReadyLab, wait_until

pytestmark = pytest.mark.docker


def test_a_woken_lab_goes_on_over_the_same_line_with_its_files(
    engine: DockerEngine, shared_lab: ReadyLab
) -> None:
    link, container = shared_lab.link, shared_lab.status.container_id
    shared_lab.sh("echo kept > note")
    engine.pause_lab(container)
    assert engine.inspect_lab(container).is_paused
    engine.wake_lab(container)
    assert shared_lab.sh("cat note").output == b"kept\n"
    assert shared_lab.link is link
    assert "nc" in shared_lab.as_root("ps", "-e")


def test_pausing_and_waking_twice_is_success(engine: DockerEngine, shared_lab: ReadyLab) -> None:
    container = shared_lab.status.container_id
    engine.wake_lab(container)
    engine.pause_lab(container)
    engine.pause_lab(container)
    engine.wake_lab(container)
    engine.wake_lab(container)
    assert shared_lab.run("true").exit.exit_code == 0


def test_a_paused_lab_can_be_removed(engine: DockerEngine, lab: ReadyLab) -> None:
    engine.pause_lab(lab.status.container_id)
    engine.remove_lab(lab.status.container_id)
    wait_until(lambda: engine.find_lab(lab.status.lab_id) is None)
    with pytest.raises(LabGone):
        engine.pause_lab(lab.status.container_id)
    with pytest.raises(LabGone):
        engine.wake_lab(lab.status.container_id)


def test_a_lab_that_ended_can_be_neither_paused_nor_woken(
    engine: DockerEngine, lab: ReadyLab
) -> None:
    subprocess.run(["docker", "kill", lab.status.container_id], check=True, capture_output=True)
    with pytest.raises(LabGone):
        engine.pause_lab(lab.status.container_id)
    with pytest.raises(LabGone):
        engine.wake_lab(lab.status.container_id)


def test_a_start_by_hand_shows_however_long_the_line_was_kept(
    engine: DockerEngine, lab: ReadyLab
) -> None:
    container = lab.status.container_id
    assert engine.started_at(container) == lab.status.started_at
    subprocess.run(["docker", "restart", container], check=True, capture_output=True)
    wait_until(lambda: engine.started_at(container) != lab.status.started_at)
    engine.link(container)
    assert engine.started_at(container) != lab.status.started_at


def test_the_machines_memory_is_told(engine: DockerEngine) -> None:
    assert engine.memory_bytes() > 2**28
