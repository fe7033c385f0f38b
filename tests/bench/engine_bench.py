"""What the supervisor saves: runs over a kept link against plain `docker exec`, in one lab.

All rounds are interleaved, so that a busy moment of the machine falls on both. No Django here.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import docker

from labs.engine.base import LabSpec, LabStatus, Output, RunSpec
from labs.engine.container import container_config
from labs.engine.docker_engine import DockerEngine

COMMAND = ("echo", "hello")
ROUNDS = 40
COLD_ROUNDS = 10


@dataclass(frozen=True)
class Took:
    """One execution: seconds to its first output byte, and to its exit code."""

    first_byte_s: float
    exit_s: float


@dataclass(frozen=True)
class Compared:
    """Medians of ours and of the floor, in seconds (or bytes)."""

    ours: float
    floor: float

    @property
    def ratio(self) -> float:
        return self.ours / self.floor

    def __str__(self) -> str:
        return f"{self.ours:.4g} against {self.floor:.4g}: {self.ratio:.2f}"


class Bench:
    """An engine, a plain client on a kept connection, and what the labs are made of."""

    def __init__(self, image: str) -> None:
        self.installation = f"bench-{uuid.uuid4().hex[:8]}"
        self.engine = DockerEngine(self.installation)
        self.client = docker.APIClient(version="auto")
        self.image = self.engine.resolve_image(image)
        self._uid = int(time.time()) % 1_000_000 * 100 + 200_000

    def spec(self) -> LabSpec:
        self._uid += 1
        return LabSpec(lab_id=uuid.uuid4().hex[:8], generation=1, uid=self._uid, image=self.image)

    @contextmanager
    def lab(self) -> Iterator[tuple[LabSpec, LabStatus]]:
        spec = self.spec()
        status = self.engine.create_lab(spec)
        try:
            yield spec, status
        finally:
            self.engine.remove_lab(status.container_id)

    def close(self) -> None:
        for status in self.engine.list_labs():
            self.engine.remove_lab(status.container_id)
        self.client.close()


def run_by_exec(client: docker.APIClient, container_id: str, uid: int, argv: Sequence[str]) -> Took:
    """Plain `docker exec` by the low-level API, as the student, to its exit code."""
    began_at = time.perf_counter()
    made = client.exec_create(container_id, list(argv), user=f"{uid}:{uid}", workdir="/")
    first_byte_s = 0.0
    for _ in client.exec_start(made["Id"], stream=True):
        first_byte_s = first_byte_s or time.perf_counter() - began_at
    assert client.exec_inspect(made["Id"])["ExitCode"] == 0
    return Took(first_byte_s, time.perf_counter() - began_at)


def run_by_link(engine: DockerEngine, container_id: str, argv: Sequence[str]) -> Took:
    began_at = time.perf_counter()
    link = engine.link(container_id)
    run_id = uuid.uuid4().hex
    link.start_run(RunSpec(run_id=run_id, argv=argv))
    first_byte_s = 0.0
    for piece in link.follow_run(run_id):
        if isinstance(piece, Output):
            first_byte_s = first_byte_s or time.perf_counter() - began_at
    took = Took(first_byte_s, time.perf_counter() - began_at)
    link.forget_run(run_id)
    return took


def compare_runs(
    bench: Bench, argv: Sequence[str] = COMMAND, rounds: int = ROUNDS
) -> Mapping[str, Compared]:
    """`first_byte` and `exit` of ours, each against docker exec to its exit code."""
    ours, theirs = [], []
    with bench.lab() as (spec, status):
        run_by_link(bench.engine, status.container_id, argv)
        for _ in range(rounds):
            theirs.append(run_by_exec(bench.client, status.container_id, spec.uid, argv))
            ours.append(run_by_link(bench.engine, status.container_id, argv))
    floor = median(took.exit_s for took in theirs)
    return {
        "first_byte": Compared(median(took.first_byte_s for took in ours), floor),
        "exit": Compared(median(took.exit_s for took in ours), floor),
    }


def count_runs_a_second(
    bench: Bench, argv: Sequence[str] = ("true",), seconds: float = 3.0
) -> float:
    """Runs that one lab carries out one after the other over one link."""
    with bench.lab() as (_, status):
        run_by_link(bench.engine, status.container_id, argv)
        count, began_at = 0, time.perf_counter()
        while time.perf_counter() - began_at < seconds:
            run_by_link(bench.engine, status.container_id, argv)
            count += 1
        return count / (time.perf_counter() - began_at)


def compare_cold_starts(bench: Bench, rounds: int = COLD_ROUNDS) -> Compared:
    """From nothing to a run's first output, against a bare create and start of the same spec."""
    ours, floor = [], []
    for _ in range(rounds):
        floor.append(_bare_start_s(bench))
        ours.append(_cold_start_s(bench))
    return Compared(median(ours), median(floor))


def _bare_start_s(bench: Bench) -> float:
    began_at = time.perf_counter()
    container_id = start_bare(bench)
    took_s = time.perf_counter() - began_at
    bench.engine.remove_lab(container_id)
    return took_s


def _cold_start_s(bench: Bench) -> float:
    began_at = time.perf_counter()
    with bench.lab() as (_, status):
        created_s = time.perf_counter() - began_at
        first = run_by_link(bench.engine, status.container_id, COMMAND)
        return created_s + first.first_byte_s


def start_bare(bench: Bench) -> str:
    """A container of a lab's very specification in which nothing but `sleep` runs."""
    config = {**container_config(bench.spec(), bench.installation), "Entrypoint": ["sleep", "9999"]}
    made = bench.client.create_container_from_config(config)  # type: ignore[no-untyped-call]
    bench.client.start(made["Id"])
    return str(made["Id"])


def available_bytes() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def report(bench: Bench) -> Iterator[str]:
    for name, compared in compare_runs(bench).items():
        yield f"run, {name} (s): {compared}"
    yield f"runs a second in one lab: {count_runs_a_second(bench):.0f}"
    yield f"cold start (s): {compare_cold_starts(bench)}"


def main() -> None:
    bench = Bench("agent-lab/agent:latest")
    try:
        for line in report(bench):
            sys.stdout.write(line + "\n")
    finally:
        bench.close()


if __name__ == "__main__":
    main()
