"""Disks that are full: the engine's, and a lab's own. The database's is filled in a browser's test
(`tests/browser/test_full_disk.py`)."""

from __future__ import annotations

import os

import pytest
from django.urls import reverse

from labs.engine.base import DiskFull
from labs.history import files_of
from labs.models import Lab, Run
from labs.receipts import output_of
from labs.troubles import waiting_words
from tests.engine_fixtures import wait_until
from tests.faults.disks import small_disk
from tests.faults.sites import WRITE
from tests.site_fixtures import await_run

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

TRUTH_WITHIN_S = 15
FILL = "docker exec agent sh -c 'cat /dev/zero > big; echo more > small; wc -c < big'"
COUNT = "docker exec agent sh -c 'wc -c < big; cat note'"
REMOVE = "docker exec agent sh -c 'rm big; echo more > small; cat note small'"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run an engine and mount a disk")
def test_a_run_waits_in_words_while_the_engines_disk_is_full(make_site, private_engine):
    site = make_site(engine_url=private_engine.url)
    site.start_ready_worker()
    with small_disk(private_engine.containers, mib=1) as disk:
        disk.fill()
        run = site.press_live(WRITE)
        words = waiting_words(DiskFull(""))
        wait_until(Run.objects.filter(pk=run.pk, waiting_for=words).exists, TRUTH_WITHIN_S)
        page = site.read_as(run.owner, reverse("labs:run-detail", args=[run.pk]))
        assert "disk is full: an admin has to make room" in page
        disk.make_room()
        assert await_run(run).exit_code == 0
        site.close()


def test_a_lab_with_a_full_disk_says_so_keeps_all_and_goes_on_with_room_again(site):
    site.start_ready_worker()
    first = site.have_files()
    full = await_run(site.press_live(FILL, owner=first.owner))
    wait_until(Lab.objects.filter(unsaved_since_at=None).exists, TRUTH_WITHIN_S)
    page = site.read_as(full.owner, reverse("labs:run-detail", args=[full.pk]))
    assert "No space left on device" in page
    size = output_of(full).splitlines()[-1]
    saved = {entry.name: entry.size_bytes for entry in files_of(full.lab.checkpoints.first())}
    assert saved["big"] == int(size) > 60 * 2**20

    site.engine.remove_lab(site.find_container(full))
    again = await_run(site.press_live(COUNT, owner=first.owner))
    assert (output_of(again), again.lab_generation) == (size + b"\nkept\n", 2)
    roomy = await_run(site.press_live(REMOVE, owner=first.owner))
    assert output_of(roomy) == b"kept\nmore\n"
