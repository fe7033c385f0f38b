"""The whole path, from the POST of a press to the event stream and the stored receipt, against
plain `docker exec` of the same command in the same labs, in one run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import docker

from tests.bench.engine_bench import run_by_exec
from tests.bench.modules import ask_module
from tests.bench.production import Site, serve_in_production
from tests.bench.site_client import SiteClient, Timings
from tests.browser.served import serve_site

REPOSITORY = Path(__file__).parent.parent.parent
LESSON, BLOCK, ARGV = "tiny", "hello", ("echo", "hello from the lab")
ROUNDS = 40
RATE_SECONDS = 6.0


@dataclass(frozen=True)
class Student:
    browser: SiteClient
    container_id: str
    uid: int


@dataclass(frozen=True)
class Rate:
    """What some students got who pressed again and again at once."""

    runs_a_second: float
    cpu_s_a_run: float
    slowest_of_burst: float
    """How long the last of one press each took, as a multiple of its fair share."""


@contextmanager
def students(image: str, count: int) -> Iterator[Sequence[Student]]:
    """Logged-in students with ready labs, on a site of one process of its own."""
    with serve_site(image) as site:
        address = site.url.removeprefix("http://")
        yield _make_students(Site(address, address, site.env), count)


@contextmanager
def students_in_production(image: str, count: int) -> Iterator[Sequence[Student]]:
    """Logged-in students with ready labs, on a site of several processes."""
    with serve_in_production(image) as site:
        yield _make_students(site, count)


def _make_students(site: Site, count: int) -> list[Student]:
    made = ask_module("tests.bench.make_students", str(count), env=site.env)
    return [_ready(site, facts) for facts in made]


def _ready(site: Site, made: dict[str, Any]) -> Student:
    browser = SiteClient(site.pages, site.streams, made["session"], LESSON)
    browser.press(BLOCK)
    labels = [
        f"agent-lab.installation={site.env['LAB_INSTALLATION']}",
        f"agent-lab.lab={made['lab']}",
    ]
    client = docker.APIClient(version="auto")
    try:
        (container,) = client.containers(filters={"label": labels})
    finally:
        client.close()
    return Student(browser, container["Id"], made["uid"])


def compare_one_press(student: Student) -> dict[str, float]:
    """Medians in seconds: `docker_exec`, `first_output`, `receipt`; all rounds interleaved.

    Each is measured right after one of its own kind that is not: an ended `docker exec` keeps
    the engine busy for a while, and neither is to pay for what the other left.
    """
    client = docker.APIClient(version="auto")

    def execute() -> float:
        return run_by_exec(client, student.container_id, student.uid, ARGV).exit_s

    def press() -> Timings:
        return student.browser.press(BLOCK)

    rounds = [(execute(), execute(), press(), press()) for _ in range(ROUNDS)]
    client.close()
    return {
        "docker_exec": median(round[1] for round in rounds),
        "first_output": median(round[3].first_output_s for round in rounds),
        "receipt": median(round[3].receipt_s for round in rounds),
    }


def rate_of_site(group: Sequence[Student]) -> Rate:
    return _rate([lambda s=student: s.browser.press(BLOCK) for student in group])


def rate_of_docker_exec(group: Sequence[Student]) -> Rate:
    clients = [docker.APIClient(version="auto") for _ in group]
    rate = _rate(
        [
            lambda c=client, s=student: run_by_exec(c, s.container_id, s.uid, ARGV)
            for client, student in zip(clients, group, strict=True)
        ]
    )
    for client in clients:
        client.close()
    return rate


def _rate(presses: Sequence[Callable[[], object]]) -> Rate:
    """All press at once, and again as soon as their run is stored, for RATE_SECONDS."""
    began_at, cpu_before = time.perf_counter(), _cpu_s()
    with ThreadPoolExecutor(len(presses)) as pool:
        counts = list(pool.map(lambda press: _press_for(press, began_at + RATE_SECONDS), presses))
    took_s, cpu_s = time.perf_counter() - began_at, _cpu_s() - cpu_before
    runs_a_second = sum(counts) / took_s
    fair_s = len(presses) / runs_a_second
    return Rate(runs_a_second, cpu_s / sum(counts), _burst_s(presses) / fair_s)


def _press_for(press: Callable[[], object], until: float) -> int:
    count = 0
    while time.perf_counter() < until:
        press()
        count += 1
    return count


def _burst_s(presses: Sequence[Callable[[], object]]) -> float:
    """Seconds until the last of one press each is stored, all pressed at the same moment."""
    gate = threading.Barrier(len(presses))

    def timed(press: Callable[[], object]) -> float:
        gate.wait()
        began_at = time.perf_counter()
        press()
        return time.perf_counter() - began_at

    with ThreadPoolExecutor(len(presses)) as pool:
        return max(pool.map(timed, presses))


def _cpu_s() -> float:
    """Seconds of CPU that the whole machine has spent on anything."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq = map(int, fields[:7])
    return (user + nice + system + irq + softirq) / 100
