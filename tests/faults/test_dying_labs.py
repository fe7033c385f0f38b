"""A lab is killed or removed by hand at every step of a run.

The worker is frozen at the step meanwhile, and finds out when it wakes.
"""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from django.urls import reverse

from labs.manager import LAB_DIED
from labs.models import Lab, Run
from labs.receipts import output_of
from tests.engine_fixtures import wait_until
from tests.faults.counted import LINE, LONG, LONG_OUTPUT, OUTPUT, await_outcome, once
from tests.faults.sites import Site, all_at_once, await_death, await_freeze, thaw
from tests.site_fixtures import await_output, await_run

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

READ = "docker exec agent sh -c 'cat note; ls'"
LOST_WITHIN_S = 15
KILL = ("docker", "kill")
REMOVE = ("docker", "rm", "-f")


def end_lab(site: Site, run: Run, how: tuple[str, ...]) -> None:
    command = [*how, site.find_container(run)]
    subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL)


def read_again(site: Site, run: Run) -> tuple[bytes, int | None]:
    """What the next run of the same student finds."""
    again = await_run(site.press_live(READ, owner=run.owner))
    return output_of(again), again.lab_generation


def end_lab_at(site: Site, failpoint: str, how: tuple[str, ...], line: str = LONG) -> Run:
    """The second run of a student, whose lab ends when the worker has reached the failpoint."""
    worker = site.start_freezing_worker(f"{failpoint}:SIGSTOP")
    first = site.have_files()
    run = site.press_live(line, owner=first.owner)
    await_freeze(worker)
    end_lab(site, run, how)
    thaw(worker)
    return run


def test_a_run_whose_lab_ends_is_lost_and_never_run_again_by_itself(make_site):
    def lose(case: tuple[str, tuple[str, ...]]) -> object:
        site = make_site()
        run = end_lab_at(site, *case)
        await_run(run, LOST_WITHIN_S)
        return run.state, run.detail, run.exit_code, read_again(site, run)

    cases = [
        ("lease_taken:2", REMOVE),
        ("starting_marked:2", KILL),
        ("run_started:2", REMOVE),
        ("chunk_stored:5", KILL),
    ]
    lost = (Run.State.LOST, LAB_DIED, None, (b"kept\nnote\n", 2))
    assert all_at_once(lose, cases) == dict.fromkeys(cases, lost)


def test_a_run_whose_lab_and_worker_both_end_is_lost_when_the_next_worker_comes(site):
    worker = site.start_ready_worker(LAB_FAILPOINTS="chunk_stored:5")
    first = site.have_files()
    run = site.press_live(LINE, owner=first.owner)
    await_death(worker)
    end_lab(site, run, REMOVE)
    site.start_ready_worker()
    await_run(run, LOST_WITHIN_S)
    assert (run.state, run.detail) == (Run.State.LOST, LAB_DIED)
    assert OUTPUT.startswith(output_of(run))
    assert read_again(site, run) == (b"kept\nnote\n", 2)


def test_a_run_whose_lab_ends_while_its_files_come_back_runs_once_in_the_next_one(site):
    worker = site.start_ready_worker(LAB_FAILPOINTS="lab_created:2:SIGSTOP")
    first = site.have_files()
    end_lab(site, first, REMOVE)
    run = site.press_live(LINE, owner=first.owner)
    await_freeze(worker)
    end_lab(site, run, REMOVE)
    thaw(worker)
    assert await_outcome(run) == once()
    assert read_again(site, run) == (b"kept\nexecutions\nnote\n", 3)


def test_a_run_whose_end_was_heard_keeps_its_receipt_though_its_lab_is_gone(site):
    run = await_run(end_lab_at(site, "exit_heard:2", REMOVE, LINE), LOST_WITHIN_S)
    assert (run.state, run.exit_code, output_of(run)) == (Run.State.FINISHED, 7, OUTPUT)
    assert read_again(site, run) == (b"kept\nnote\n", 2)


def test_labs_that_end_between_two_runs_are_said_to_be_gone_and_start_with_their_files(site):
    site.start_ready_worker()
    killed, removed = site.have_files(), site.have_files()
    end_lab(site, killed, KILL)
    end_lab(site, removed, REMOVE)
    gone = Lab.objects.filter(state=Lab.State.ABSENT)
    wait_until(lambda: gone.count() == 2, LOST_WITHIN_S)
    pages = [site.read_as(run.owner, reverse("labs:my-lab")) for run in (killed, removed)]
    assert ["ended or been removed" in page for page in pages] == [True, True]
    wait_until(lambda: not site.engine.list_labs(), LOST_WITHIN_S)
    found = [read_again(site, run) for run in (killed, removed)]
    assert found == [(b"kept\nnote\n", 2)] * 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may kill a process of a container")
def test_a_run_whose_supervisor_is_killed_is_lost_with_the_output_up_to_there(site):
    site.start_ready_worker()
    first = site.have_files()
    run = site.press_live(LONG, owner=first.owner)
    await_output(run, b"line 10\n")
    os.kill(process_1_of(site.find_container(run)), signal.SIGKILL)
    await_run(run, LOST_WITHIN_S)
    assert (run.state, run.detail) == (Run.State.LOST, LAB_DIED)
    assert LONG_OUTPUT.startswith(output_of(run))
    assert read_again(site, run) == (b"kept\nnote\n", 2)


def test_a_run_in_a_lab_that_is_paused_by_hand_ends_well_by_itself(site):
    run = site.press(LINE)
    site.start_worker()
    await_output(run, b"line 3\n")
    subprocess.run(["docker", "pause", site.find_container(run)], check=True, timeout=120)
    assert await_outcome(run) == once()
    assert not run.waiting_for


def process_1_of(container: str) -> int:
    command = ["docker", "inspect", "--format", "{{.State.Pid}}", container]
    return int(subprocess.run(command, check=True, timeout=120, capture_output=True).stdout)
