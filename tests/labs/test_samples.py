"""What a lab uses is measured on the real engine, in the sweep's own pass."""

from __future__ import annotations

import pytest

from labs import samples
from labs.lifecycle import this_host
from labs.limits import Allowance, set_limits
from labs.models import Lab, Sample
from tests.engine_fixtures import wait_until
from tests.factories import make_user
from tests.site_fixtures import await_output, press_run

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]

MIB = 1024 * 1024


def test_a_lab_is_measured_while_it_works_within_its_lessons_limits(press):
    """One lab for all of it, since its start takes longest."""
    allowance = Allowance(
        memory_bytes=320 * MIB, pids=100, workspace_bytes=48 * MIB, time_limit_s=77
    )
    set_limits(actor=None, scope="lesson:checkpoints", allowance=allowance)
    owner = make_user()
    press(owner, "docker exec agent sh -c 'head -c 5000000 /dev/zero > zeros'", time_limit_s=99)
    busy = press_run(
        owner, "docker exec agent sh -c 'echo on; while :; do :; done'", time_limit_s=99
    )
    await_output(busy, b"on\n")
    wait_until(lambda: Sample.objects.filter(cpu_percent__gt=5).exists())
    sample = Sample.objects.select_related("lab").get()
    assert 5_000_000 < sample.memory_bytes < sample.memory_limit_bytes == 320 * MIB
    assert 5_000_000 <= sample.disk_bytes < sample.disk_limit_bytes == 48 * MIB
    assert 2 <= sample.pids < sample.pids_limit == 100
    assert sample.generation == sample.lab.generation == 1
    assert (sample.lab.memory_bytes, sample.lab.time_limit_s) == (320 * MIB, 77)
    assert busy.time_limit_s == 77


def test_a_lab_that_is_gone_is_left_out_and_the_others_are_measured(press):
    alive, gone = make_user(), make_user()
    press(alive, "docker exec agent true")
    press(gone, "docker exec agent true")
    with samples._passing:  # no pass of the sweep is under way
        Lab.objects.filter(owner=gone).update(container_id="0" * 64)
        Sample.objects.all().delete()
    samples.sample_host(this_host())
    wait_until(Sample.objects.exists)  # that one or the sweep's
    assert [sample.lab.owner for sample in Sample.objects.all()] == [alive]
