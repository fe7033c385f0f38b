"""What happens to labs behind our back: the page tells the truth within 15 s, and the next
press works with the files restored. Killed and removed labs stand in `test_dying_labs`, engines and
machines that stop in `test_dying_engine`, half-made labs in `test_killed_workers`, full disks in
`test_full_disks`."""

from __future__ import annotations

import subprocess

import pytest
from django.conf import settings
from django.urls import reverse

from labs.engine.base import ImageMissing, NameTaken
from labs.lifecycle import OUT_OF_MEMORY
from labs.models import Lab, Run
from labs.receipts import output_of
from labs.troubles import waiting_words
from tests.engine_fixtures import wait_until
from tests.faults.sites import WRITE, Site
from tests.site_fixtures import await_run

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

READ = "docker exec agent sh -c 'cat note; ls'"
TRUTH_WITHIN_S = 15


def docker_cli(*arguments: str) -> str:
    done = subprocess.run(["docker", *arguments], check=True, timeout=60, capture_output=True)
    return done.stdout.decode().strip()


def meddle(*arguments: str) -> None:
    """Does by hand what the sweep may undo, or see to, in the same moment."""
    subprocess.run(["docker", *arguments], check=False, timeout=60, capture_output=True)


def have_lab(site: Site) -> Run:
    """A student's first run, over, whose files are saved."""
    site.start_ready_worker()
    return site.have_files()


def await_lab(run: Run, **fields: str) -> None:
    wait_until(Lab.objects.filter(pk=run.lab_id, **fields).exists, TRUTH_WITHIN_S)


def read_again(site: Site, run: Run) -> tuple[bytes, int | None]:
    """What the next press of the same student finds, and in which generation."""
    again = await_run(site.press_live(READ, owner=run.owner))
    return output_of(again), again.lab_generation


def await_words(run: Run, words: str) -> None:
    wait_until(Run.objects.filter(pk=run.pk, waiting_for=words).exists, TRUTH_WITHIN_S)


def test_a_lab_that_is_paused_by_hand_is_woken(site):
    run = have_lab(site)
    container = site.find_container(run)
    docker_cli("pause", container)
    wait_until(lambda: site.engine.inspect_lab(container).is_running, TRUTH_WITHIN_S)
    assert read_again(site, run) == (b"kept\nnote\n", 1)


def test_a_paused_lab_that_is_woken_by_hand_is_called_ready(site):
    run = have_lab(site)
    site.engine.pause_lab(site.find_container(run))
    Lab.objects.update(state=Lab.State.PAUSED)
    meddle("unpause", site.find_container(run))
    await_lab(run, state=Lab.State.READY)
    assert read_again(site, run) == (b"kept\nnote\n", 1)


def test_a_lab_that_is_started_anew_by_hand_is_a_lost_generation(site):
    run = have_lab(site)
    meddle("restart", site.find_container(run))
    await_lab(run, state=Lab.State.ABSENT)
    wait_until(lambda: not site.engine.list_labs(), TRUTH_WITHIN_S)
    assert read_again(site, run) == (b"kept\nnote\n", 2)


def test_a_lab_whose_memory_ran_out_says_so(site):
    run = have_lab(site)
    container = site.find_container(run)
    fill = "head -c 60M /dev/zero > /home/node/project/big; head -c 30M /dev/zero > /tmp/big"
    docker_cli("exec", "--user", f"{run.lab.uid}:{run.lab.uid}", container, "sh", "-c", fill)
    docker_cli("update", "--memory", "100m", "--memory-swap", "100m", container)
    subprocess.run(
        ["docker", "exec", container, "sh", "-c", "head -c 14M /dev/zero > /run/agent-lab/big"],
        timeout=60,
        check=False,
    )
    await_lab(run, state=Lab.State.ABSENT, reason=OUT_OF_MEMORY)
    assert read_again(site, run) == (b"kept\nnote\n", 2)


def test_a_strangers_container_with_a_labs_name_is_left_alone_and_named(site):
    run = have_lab(site)
    site.engine.remove_lab(site.find_container(run))
    name = f"agent-lab-{site.name}-{run.lab_id}"
    docker_cli("create", "--name", name, "--network", "none", settings.LAB_IMAGE)
    try:
        again = site.press_live(READ, owner=run.owner)
        await_words(again, waiting_words(NameTaken("")))
        assert docker_cli("inspect", "--format", "{{.State.Status}}", name) == "created"
        page = site.read_as(run.owner, reverse("labs:run-detail", args=[again.pk]))
        assert "uses your lab&#x27;s name" in page
    finally:
        docker_cli("rm", "--force", name)
    assert output_of(await_run(again)) == b"kept\nnote\n"


def test_a_run_waits_for_an_image_that_is_missing(site):
    worker = site.start_ready_worker(LAB_IMAGE="agent-lab/never-built:latest")
    run = site.press_live(WRITE)
    await_words(run, waiting_words(ImageMissing("")))
    page = site.read_as(run.owner, reverse("labs:run-detail", args=[run.pk]))
    assert "is missing on the lab machine: an admin has to build it" in page
    assert "Your run is kept and starts by itself" in page
    assert "never-built" in Lab.objects.get(pk=run.lab_id).last_error
    worker.kill()
    site.start_ready_worker()
    assert await_run(run).exit_code == 0
