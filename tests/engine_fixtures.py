"""Fixtures for tests on the real Docker engine: an engine of this session's own, and ready labs."""

from __future__ import annotations

import random
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import docker
import pytest

from labs.engine.base import Exit, LabSpec, LabStatus, Output, RunSpec, SupervisorLink
from labs.engine.docker_engine import DockerEngine

REPOSITORY = Path(__file__).parent.parent
PATIENCE_S = 60.0
"""For what must come: far longer than it takes, since other work may hold the machine up."""
# Process limits count per user id of the machine, and other sessions may run beside this one.
UIDS = count(random.randrange(200_000, 2_000_000, 1_000))


@dataclass(frozen=True)
class Ran:
    """All that one run left behind."""

    pieces: tuple[Output, ...]
    exit: Exit

    @property
    def output(self) -> bytes:
        return b"".join(piece.data for piece in self.pieces)

    def stream(self, name: str) -> bytes:
        return b"".join(piece.data for piece in self.pieces if piece.stream == name)


class ReadyLab:
    """A started lab, and short ways to use it."""

    def __init__(self, engine: DockerEngine, status: LabStatus, uid: int) -> None:
        self.engine = engine
        self.status = status
        self.uid = uid

    @property
    def link(self) -> SupervisorLink:
        return self.engine.link(self.status.container_id)

    def start(self, *argv: str, **rest: Any) -> str:
        """The id of a run that was started now."""
        run_id = str(uuid.uuid4())
        assert self.link.start_run(RunSpec(run_id=run_id, argv=argv, **rest))
        return run_id

    def follow(self, run_id: str, offset: int = 0) -> Ran:
        pieces = [piece for piece in self.link.follow_run(run_id, offset) if piece is not None]
        *outputs, exit = pieces
        assert isinstance(exit, Exit)
        return Ran(tuple(piece for piece in outputs if isinstance(piece, Output)), exit)

    def run(self, *argv: str, **rest: Any) -> Ran:
        return self.follow(self.start(*argv, **rest))

    def sh(self, script: str, **rest: Any) -> Ran:
        return self.run("sh", "-c", script, **rest)

    def as_root(self, *argv: str) -> str:
        """What a command prints that runs as root beside the supervisor, by plain docker exec."""
        command = ["docker", "exec", "--user", "0:0", self.status.container_id, *argv]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return done.stdout

    def inspect(self) -> Mapping[str, Any]:
        client = docker.APIClient(version="auto")
        try:
            inspected: Mapping[str, Any] = client.inspect_container(self.status.container_id)
            return inspected
        finally:
            client.close()


def wait_until(condition: Callable[[], object], within_s: float = PATIENCE_S) -> None:
    """Returns as soon as the condition holds; fails the test when it never does."""
    give_up_at = time.monotonic() + within_s
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < give_up_at, f"not within {within_s} s"
        pause.wait(0.01)


@pytest.fixture(scope="session")
def lab_image() -> str:
    """The tag of the agent image as its sources stand now, built if need be."""
    subprocess.run([REPOSITORY / "bin" / "ensure-docker"], check=True, timeout=300)
    subprocess.run([REPOSITORY / "bin" / "build-image"], check=True, timeout=1800)
    printed = subprocess.run(
        [REPOSITORY / "bin" / "build-image", "--print-tag"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return printed.stdout.strip()


@pytest.fixture(scope="session")
def engine(lab_image: str) -> Iterator[DockerEngine]:
    """An engine whose labs nobody else has. What a test leaves behind is removed, and a failure."""
    engine = DockerEngine(f"test-{uuid.uuid4().hex[:8]}")
    yield engine
    left = engine.list_labs()
    for status in left:
        engine.remove_lab(status.container_id)
    assert not left, f"tests left labs behind: {left}"


@pytest.fixture(scope="session")
def make_spec(engine: DockerEngine, lab_image: str) -> Callable[..., LabSpec]:
    """Makes specifications of labs that have nothing in common."""
    image = engine.resolve_image(lab_image)

    def make(**rest: Any) -> LabSpec:
        fresh = {"lab_id": uuid.uuid4().hex[:8], "generation": 1, "uid": next(UIDS)}
        return LabSpec(image=image, **{**fresh, **rest})

    return make


@pytest.fixture
def make_lab(
    engine: DockerEngine, make_spec: Callable[..., LabSpec]
) -> Iterator[Callable[..., ReadyLab]]:
    """Makes ready labs, which are removed after the test."""
    made: list[ReadyLab] = []

    def make(**rest: Any) -> ReadyLab:
        spec = make_spec(**rest)
        made.append(ReadyLab(engine, engine.create_lab(spec), spec.uid))
        return made[-1]

    yield make
    for lab in made:
        engine.remove_lab(lab.status.container_id)


@pytest.fixture
def lab(make_lab: Callable[..., ReadyLab]) -> ReadyLab:
    """A ready lab of this test's own."""
    return make_lab()


@pytest.fixture(scope="module")
def shared_lab(engine: DockerEngine, make_spec: Callable[..., LabSpec]) -> Iterator[ReadyLab]:
    """A ready lab for all tests of a module that leave nothing behind in it."""
    spec = make_spec()
    status = engine.create_lab(spec)
    yield ReadyLab(engine, status, spec.uid)
    engine.remove_lab(status.container_id)
