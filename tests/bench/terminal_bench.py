"""From a key to its echo: through a WebSocket, the gateway and the lab, against the socket of a
bare `docker exec -it` in the same lab, key by key in turn."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import docker

from tests.bench.modules import ask_module
from tests.bench.terminal_client import TerminalClient
from tests.browser.served import ServedSite, serve_site

REPOSITORY = Path(__file__).parent.parent.parent

KEYS = 400
LINE_KEYS = 60
BUSY = 10
FLOOD = b"yes"


@dataclass(frozen=True)
class Echoes:
    """Seconds from a key to its echo."""

    ours: Sequence[float]
    floor: Sequence[float]

    @property
    def ratio(self) -> float:
        return median(self.ours) / median(self.floor)

    @property
    def p99_ratio(self) -> float:
        """Our slowest but four of 400 keys, as a multiple of our own median."""
        return _p99(self.ours)

    def __str__(self) -> str:
        return (
            f"{median(self.ours) * 1000:.2f} ms against {median(self.floor) * 1000:.2f} ms: "
            f"{self.ratio:.2f}; 99 % within {self.p99_ratio:.1f} medians "
            f"(bare {_p99(self.floor):.1f})"
        )


def _p99(echoes: Sequence[float]) -> float:
    return sorted(echoes)[int(len(echoes) * 0.99)] / median(echoes)


@dataclass(frozen=True)
class Student:
    """Who can open a terminal of a lab of their own."""

    host: str
    cookie: str
    labels: Sequence[str]
    uid: int


@contextmanager
def students(image: str, count: int) -> Iterator[Sequence[Student]]:
    """Logged-in students on a site of their own."""
    with serve_site(image) as site:
        made = ask_module("tests.bench.make_students", str(count), env=site.env)
        yield [_student(site, facts) for facts in made]


def _student(site: ServedSite, facts: dict[str, Any]) -> Student:
    labels = [
        f"agent-lab.installation={site.env['LAB_INSTALLATION']}",
        f"agent-lab.lab={facts['lab']}",
    ]
    return Student(site.url.removeprefix("http://"), facts["session"], labels, facts["uid"])


class BareTerminal:
    """A shell at the socket of `docker exec -it`, as any client of the engine would have it."""

    def __init__(self, client: docker.APIClient, student: Student) -> None:
        (container,) = client.containers(filters={"label": list(student.labels)})
        made = client.exec_create(
            container["Id"],
            ["/bin/bash", "-l"],
            stdin=True,
            tty=True,
            user=f"{student.uid}:{student.uid}",
            environment={"HOME": "/home/node", "TERM": "xterm-256color"},
            workdir="/",
        )
        self._started: Any = client.exec_start(made["Id"], tty=True, socket=True)
        self._socket = self._started._sock
        self._socket.settimeout(60)

    def type(self, data: bytes) -> None:
        self._socket.sendall(data)

    def read(self) -> bytes:
        return bytes(self._socket.recv(65536))

    def close(self) -> None:
        self.type(b"\x15exit\r")
        self._started._response.close()
        self._socket.close()


def echo_s(terminal: TerminalClient | BareTerminal) -> float:
    began_at = time.perf_counter()
    terminal.type(b"x")
    shown = b""
    while b"x" not in shown:
        shown += terminal.read()
    return time.perf_counter() - began_at


def clear_line(terminal: TerminalClient | BareTerminal) -> None:
    terminal.type(b"\x15\recho re''ady\r")
    shown = b""
    while b"ready" not in shown or not shown.endswith(b"$ "):
        shown += terminal.read()


def measure(ours: TerminalClient, floor: BareTerminal, keys: int = KEYS) -> Echoes:
    echoes: tuple[list[float], list[float]] = ([], [])
    for number in range(keys):
        if number % LINE_KEYS == 0:
            clear_line(ours)
            clear_line(floor)
        echoes[0].append(echo_s(ours))
        echoes[1].append(echo_s(floor))
    return Echoes(*echoes)


@contextmanager
def busy(group: Sequence[Student], command: bytes = FLOOD) -> Iterator[None]:
    """All of these students' terminals flood while this lasts."""
    host = group[0].host
    cookies = [student.cookie for student in group]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.terminal_client", host, command.decode(), *cookies],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"busy\n"
    try:
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def compare_echoes(group: Sequence[Student]) -> dict[str, Echoes]:
    """`quiet`, and `busy` with all but the first student's terminals flooding."""
    client = docker.APIClient(version="auto")
    ours = TerminalClient(group[0].host, group[0].cookie)
    ours.read_until(b"$ ")
    floor = BareTerminal(client, group[0])
    quiet = measure(ours, floor)
    with busy(group[1:]):
        flooded = measure(ours, floor)
    floor.close()
    ours.close()
    client.close()
    return {"quiet": quiet, "busy": flooded}


def terminal_lines(image: str, ratios: dict[str, float]) -> Iterator[str]:
    with students(image, BUSY + 1) as group:
        echoes = compare_echoes(group)
    quiet, flooded = echoes["quiet"], echoes["busy"]
    ratios["terminal.echo_vs_exec_attach"] = quiet.ratio
    ratios["terminal.echo_p99_vs_median"] = quiet.p99_ratio
    ratios["terminal.echo_busy_vs_exec_attach"] = flooded.ratio
    ratios["terminal.echo_busy_p99_vs_median"] = flooded.p99_ratio
    ratios["terminal.echo_busy_vs_quiet"] = median(flooded.ours) / median(quiet.ours)
    for name, each in echoes.items():
        yield f"echo of a key, {name}: {each}"


def main(write: Callable[[str], object] = sys.stdout.write) -> None:
    image = subprocess.check_output(
        [REPOSITORY / "bin" / "build-image", "--print-tag"], text=True
    ).strip()
    ratios: dict[str, float] = {}
    for line in terminal_lines(image, ratios):
        write(line + "\n")
    for name, ratio in sorted(ratios.items()):
        write(f"{name} {ratio:.2f}\n")


if __name__ == "__main__":
    main()
