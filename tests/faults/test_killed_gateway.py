"""The terminals' gateway as a process of its own: killed and started anew, flooded, pasted into."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median

import pytest
from django.test import Client

from labs.models import TerminalSession
from labs.terminal_tickets import issue_ticket
from labs.terminals import open_session
from tests.bench.terminal_bench import echo_s
from tests.bench.terminal_client import TerminalClient
from tests.faults.sites import Site, await_port, end, free_port
from tests.faults.test_dying_labs import process_1_of

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

MIB = 1024 * 1024
WARM_BYTES, FLOOD_BYTES = MIB, 2 * MIB
GROWTH_BYTES = 8 * MIB
"""What a gateway allocates for its first flood it keeps: up to 6 MiB as measured, then no more."""
ECHO_EVERY_BYTES = 128 * 1024
PASTED_LINE = b"0123456789abcde\r"


class Gateway:
    """A gateway of this test's own, for browsers that come with tickets."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._seats: list[TerminalClient] = []
        self.start()

    def start(self) -> None:
        self.port = free_port()
        self.process = self._site.start(
            *("-m", "uvicorn", "config.terminal_asgi:application", "--port", str(self.port)),
            *("--no-access-log", "--log-level", "warning", "--ws-max-size", "4194304"),
        )
        await_port(self.port)

    def kill_and_start(self) -> None:
        end(self.process)
        self.start()

    def seat(self, student, number: int = 1) -> TerminalClient:
        """The student's browser at their terminal, which shows all that it kept."""
        session = open_session(owner=student, number=number)
        browser = Client()
        browser.force_login(student, backend="course.backends.AccountBackend")
        cookie = browser.cookies["sessionid"].value
        host = f"localhost:{self.port}"
        self._seats.append(TerminalClient(host, cookie, ticket=issue_ticket(session, student)))
        return self._seats[-1]

    def close(self) -> None:
        for seat in self._seats:
            seat.close()


@pytest.fixture
def gateway(site):
    gateway = Gateway(site)
    yield gateway
    gateway.close()


def resident_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def test_after_a_kill_of_the_gateway_there_is_the_same_shell_and_what_came_meanwhile(site, gateway):
    student = site.make_student()
    before = gateway.seat(student)
    before.read_until(b"$ ")
    before.type(b"mine=4711; echo be''fore; sleep 2; echo mean''while\r")
    before.read_until(b"\rbefore\r\n")
    gateway.kill_and_start()
    after = gateway.seat(student)
    shown = after.read_until(b"\nmeanwhile\r\n")
    after.type(b"echo $mine\r")
    after.read_until(b"\r4711\r\n")
    assert shown.count(b"\rbefore\r\n") == 1
    assert TerminalSession.objects.count() == 1


def test_a_flood_and_a_browser_that_reads_nothing_cost_no_memory_and_no_neighbours_key(
    site, gateway
):
    student, neighbour = site.make_student(), gateway.seat(site.make_student())
    neighbour.read_until(b"$ ")
    reading, deaf = (gateway.seat(student, number) for number in (1, 2))
    for flooded in (reading, deaf):
        flooded.read_until(b"$ ")
        flooded.type(b"yes\r")
    supervisor = process_1_of(site.engine.find_lab(str(student.lab.pk)).container_id)
    pids = (gateway.process.pid, supervisor)
    read(reading, WARM_BYTES)
    warm = [resident_bytes(pid) for pid in pids]
    echoes = []
    for _ in range(0, FLOOD_BYTES - WARM_BYTES, ECHO_EVERY_BYTES):
        read(reading, ECHO_EVERY_BYTES)
        echoes.append(echo_s(neighbour))
    grown = [resident_bytes(pid) - size for pid, size in zip(pids, warm, strict=True)]
    assert max(grown) < GROWTH_BYTES, grown
    assert median(echoes) < 0.5, json.dumps(echoes)


def read(client: TerminalClient, size: int) -> None:
    while size > 0:
        size -= len(client.read())


def test_a_megabyte_pasted_arrives_whole_and_stays_in_no_memory(site, gateway):
    student = site.make_student()
    client = gateway.seat(student)
    client.read_until(b"$ ")
    client.type(b"stty -echo; echo rea''dy; cat > pasted; wc -c < pasted\r")
    client.read_until(b"\rready\r\n")
    supervisor = process_1_of(site.engine.find_lab(str(student.lab.pk)).container_id)
    pids = (gateway.process.pid, supervisor)
    before = [resident_bytes(pid) for pid in pids]
    for _ in range(64):
        client.type(PASTED_LINE * 1024)
    client.type(b"\x04")
    client.read_until(b"1048576\r\n")
    grown = [resident_bytes(pid) - size for pid, size in zip(pids, before, strict=True)]
    assert max(grown) < GROWTH_BYTES, grown
