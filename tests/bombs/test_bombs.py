"""Programs that try to take everything, each beside a neighbour who must not notice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from labs.engine.base import MIB
from tests.engine_fixtures import Ran, ReadyLab, wait_until

pytestmark = pytest.mark.docker

NEIGHBOURS_PATIENCE_S = 2.0
ECHOES = 20
FORK_BOMB = ":() { : | : & }; while true; do :; done"
STUBBORN_FORK_BOMB = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    try:
        if os.fork() == 0:
            os.setsid()
    except BlockingIOError:
        time.sleep(0.001)
"""
MEMORY_HOG = 'held = []\nwhile True: held.append(b"x" * 1_000_000)'
DISK_FILLER = """
while True:
    for path in ("full", "/tmp/full", "/dev/shm/full"):
        try:
            with open(path, "ab") as file: file.write(bytes(1_000_000))
        except OSError: pass
"""
INODE_FILLER = """
from itertools import count
for n in count():
    try:
        open(f"file{n}", "x").close()
    except OSError: pass
"""
FD_HOG = """
import os
held = []
try:
    while True: held.append(os.pipe())
except OSError:
    print(len(held) > 100, flush=True)
while True: pass
"""
ZOMBIES = """
import os
try:
    while True:
        if os.fork() == 0: os._exit(0)
except BlockingIOError:
    print("full", flush=True)
while True: pass
"""
SPINNERS = "for n in $(seq 60); do (while true; do :; done) & done; wait"


@pytest.fixture
def neighbour(make_lab: Callable[..., ReadyLab]) -> ReadyLab:
    return make_lab()


@contextmanager
def nobody_notices(neighbour: ReadyLab) -> Iterator[None]:
    """Lets the neighbour echo all the while, and holds each echo to the bound."""
    is_over = threading.Event()

    def echo() -> list[float]:
        times_s = []
        while len(times_s) < ECHOES or not is_over.is_set():
            began_at = time.monotonic()
            assert neighbour.run("echo", "hello").output == b"hello\n"
            times_s.append(time.monotonic() - began_at)
        return times_s

    with ThreadPoolExecutor(1) as pool:
        echoing = pool.submit(echo)
        try:
            yield
        finally:
            is_over.set()
    assert max(echoing.result()) < NEIGHBOURS_PATIENCE_S


def assert_lab_is_well(lab: ReadyLab) -> None:
    after = lab.sh("rm -rf ./* /tmp/full /dev/shm/full; echo well")
    assert after.output == b"well\n"
    assert lab.as_root("ps", "-U", str(lab.uid), "-o", "args=") == ""


def set_off(lab: ReadyLab, neighbour: ReadyLab, *argv: str, **rest: float) -> Ran:
    began_at = time.monotonic()
    with nobody_notices(neighbour):
        ran = lab.run(*argv, **{"time_limit_s": 3.0, **rest})
    assert time.monotonic() - began_at < 3.0 + 1.0 + 3.0
    return ran


@pytest.mark.parametrize(
    "argv",
    [
        ("bash", "-c", FORK_BOMB),
        ("bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 60"),
        ("python3", "-c", STUBBORN_FORK_BOMB),
        ("bash", "-c", SPINNERS),
    ],
    ids=["pipes", "doubling", "stubborn", "spinners"],
)
def test_a_fork_bomb_ends_with_its_time(
    lab: ReadyLab, neighbour: ReadyLab, argv: tuple[str, ...]
) -> None:
    ran = set_off(lab, neighbour, *argv)

    assert ran.exit.reason == "timed_out"
    assert_lab_is_well(lab)


def test_a_fork_bomb_can_be_stopped_within_two_seconds(lab: ReadyLab, neighbour: ReadyLab) -> None:
    run_id = lab.start("python3", "-c", STUBBORN_FORK_BOMB, time_limit_s=60.0)

    with nobody_notices(neighbour):
        wait_until(lambda: int(lab.as_root("pgrep", "-c", "-U", str(lab.uid))) > 50)
        stopped_at = time.monotonic()
        lab.link.stop_run(run_id)
        ran = lab.follow(run_id)
        took_s = time.monotonic() - stopped_at

    assert ran.exit.reason == "stopped"
    assert took_s < 2.0
    assert_lab_is_well(lab)


def test_a_memory_hog_is_killed_alone(lab: ReadyLab, neighbour: ReadyLab) -> None:
    ran = set_off(lab, neighbour, "python3", "-c", MEMORY_HOG, time_limit_s=20.0)

    assert (ran.exit.reason, ran.exit.exit_code, ran.exit.oom_kills) == ("signalled", 137, 1)
    assert_lab_is_well(lab)


@pytest.mark.parametrize("script", [DISK_FILLER, INODE_FILLER], ids=["bytes", "files"])
def test_a_full_disk_is_nobody_elses(lab: ReadyLab, neighbour: ReadyLab, script: str) -> None:
    ran = set_off(lab, neighbour, "python3", "-c", script)

    assert ran.exit.reason == "timed_out"
    assert_lab_is_well(lab)


def test_a_flood_of_output_ends_at_its_cap(lab: ReadyLab, neighbour: ReadyLab) -> None:
    ran = set_off(lab, neighbour, "yes", time_limit_s=60.0, hard_cap_bytes=64 * MIB)

    assert ran.exit.reason == "output_limit"
    assert len(ran.output) == 320 * 1024
    assert_lab_is_well(lab)


def test_a_hog_of_file_handles_takes_only_its_own(lab: ReadyLab, neighbour: ReadyLab) -> None:
    ran = set_off(lab, neighbour, "python3", "-c", FD_HOG)

    assert ran.output == b"True\n"
    assert ran.exit.reason == "timed_out"
    assert_lab_is_well(lab)


def test_zombies_are_buried_with_their_parent(lab: ReadyLab, neighbour: ReadyLab) -> None:
    ran = set_off(lab, neighbour, "python3", "-c", ZOMBIES)

    assert ran.output == b"full\n"
    assert ran.exit.reason == "timed_out"
    assert_lab_is_well(lab)
