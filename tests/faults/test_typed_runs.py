"""Typed runs, while what carries them is killed: one execution, and the true state."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import asynccontextmanager

import pytest

from labs.engine.terminal_line import TerminalLine
from labs.manager import LAB_DIED
from labs.models import Run
from labs.receipts import output_of
from tests.engine_fixtures import PATIENCE_S
from tests.factories import make_terminal
from tests.faults.counted import LINE, LONG, LONG_OUTPUT, await_outcome, once
from tests.faults.sites import all_at_once, await_death
from tests.site_fixtures import await_output, await_run, press_run

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

STEPS = ("starting_marked:2", "chunk_stored:5", "exit_heard:2")


def open_shell(site, run):
    """A terminal of the run's owner, with a shell at its prompt."""
    session = make_terminal(run.owner, lab_generation=run.lab_generation)
    asyncio.run(_until_prompt(site, run, str(session.pk)))
    return session.pk


async def _until_prompt(site, run, name):
    async with looked_at(site, run, name) as shown:
        await shown(b"$ ")


@asynccontextmanager
async def looked_at(site, run, name):
    """A gateway's line to the terminal, which is opened where it is new."""
    line = TerminalLine(site.engine.open_line(site.find_container(run)))
    await line.greet()
    came, seen = asyncio.Event(), bytearray()

    def take(frame):
        seen.extend(frame.body if frame and frame.word == "shown" else b"")
        came.set()

    async def shown(words):
        async with asyncio.timeout(PATIENCE_S):
            while words not in seen:
                came.clear()
                await came.wait()

    await line.ask("open", [("terminal", name), ("linger_ms", 600_000)])
    line.begin("look", [("terminal", name), ("credit", 10_000_000)], on_frame=take)
    try:
        yield shown
    finally:
        line.close()


def test_a_typed_run_survives_a_kill_of_its_worker(make_site):
    def survive(point):
        site = make_site()
        worker = site.start_ready_worker(LAB_FAILPOINTS=point)
        first = site.have_files()
        terminal = open_shell(site, first)
        run = press_run(first.owner, LINE, terminal=terminal)
        await_death(worker)
        site.start_worker()
        return await_outcome(run)

    assert all_at_once(survive, STEPS) == dict.fromkeys(STEPS, once())


def cut_its_gateways_line(site, first, terminal, run):
    async def look_until(words):
        async with looked_at(site, first, terminal) as shown:
            await shown(words)

    asyncio.run(look_until(b"\rline 1\r\nline 2\r\n"))
    asyncio.run(look_until(b"\nline 40\r\n"))
    return await_outcome(run)


def kill_its_lab(site, first, terminal, run):
    await_output(run, b"line 5\n")
    command = ["docker", "kill", site.find_container(first)]
    subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL)
    await_run(run)
    assert LONG_OUTPUT.startswith(output_of(run))
    return run.state, run.detail


def close_its_terminal(site, first, terminal, run):
    async def close():
        line = TerminalLine(site.engine.open_line(site.find_container(first)))
        await line.greet()
        await line.ask("close", [("terminal", terminal)])
        line.close()

    await_output(run, b"line 5\n")
    asyncio.run(close())
    await_run(run)
    return run.state, run.reason


LINES = {cut_its_gateways_line: LINE, kill_its_lab: LONG, close_its_terminal: LONG}
ENDS = {
    cut_its_gateways_line: once(),
    kill_its_lab: (Run.State.LOST, LAB_DIED),
    close_its_terminal: (Run.State.STOPPED, "terminal_gone"),
}


def test_a_typed_run_tells_the_truth_whatever_ends_in_its_middle(make_site):
    def meet(harm):
        site = make_site()
        site.start_ready_worker()
        first = site.have_files()
        terminal = open_shell(site, first)
        run = press_run(first.owner, LINES[harm], terminal=terminal)
        return harm(site, first, str(terminal), run)

    assert all_at_once(meet, ENDS) == ENDS
