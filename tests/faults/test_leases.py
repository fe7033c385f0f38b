"""What a lease says about its holder, and who may lose a run that nobody looks after."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from labs import leases, lifecycle, reconcile
from labs.models import Host, Lab, Run
from tests.engine_fixtures import wait_until
from tests.factories import make_run, make_user
from tests.site_fixtures import REPOSITORY

pytestmark = pytest.mark.faults

SCRIPT = "from labs import leases; print(leases.new_name())"
LONG_AGO = timedelta(hours=1)


def name_of_a_dead_process() -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def make_overdue_run(host: Host, state: str) -> Run:
    owner = make_user()
    Lab.objects.create(owner=owner, host=host)
    return make_run(owner, state=state, state_deadline_at=timezone.now() - LONG_AGO)


def test_two_attempts_of_one_process_have_two_names():
    assert leases.new_name() != leases.new_name()


def test_a_process_that_lives_is_not_known_to_be_dead():
    assert not leases.is_known_dead(leases.new_name())


def test_a_process_that_has_ended_is_known_to_be_dead():
    assert leases.is_known_dead(name_of_a_dead_process())


def test_a_later_process_with_the_same_id_is_another_one():
    machine, pid, _, attempt = leases.new_name().rsplit(":", 3)
    assert leases.is_known_dead(f"{machine}:{pid}:1:{attempt}")


def test_of_another_machine_nothing_is_known():
    assert not leases.is_known_dead("another-machine:1:1:attempt")


def test_a_lease_is_renewed_while_something_slow_is_done():
    renewals: list[int] = []
    with leases.kept(lambda: renewals.append(1)):
        wait_until(lambda: renewals)


@pytest.mark.django_db
def test_an_overdue_run_of_a_host_that_is_silent_is_lost():
    run = make_overdue_run(
        Host.objects.create(name="silent", seen_at=timezone.now() - LONG_AGO), Run.State.RUNNING
    )
    reconcile.lose_overdue_runs(lifecycle.this_host())
    run.refresh_from_db()
    assert (run.state, run.reason) == (Run.State.LOST, "overdue")


@pytest.mark.django_db
def test_an_overdue_run_of_ones_own_host_is_looked_after_however_long_one_was_away():
    host = Host.objects.create(name="back again", seen_at=timezone.now() - LONG_AGO)
    run = make_overdue_run(host, Run.State.RUNNING)
    reconcile.lose_overdue_runs(host)
    run.refresh_from_db()
    assert run.state == Run.State.RUNNING


@pytest.mark.django_db
def test_a_run_that_waited_far_too_long_is_never_started():
    run = make_overdue_run(lifecycle.this_host(), Run.State.QUEUED)
    reconcile.lose_overdue_runs(lifecycle.this_host())
    run.refresh_from_db()
    assert (run.state, run.detail) == (Run.State.LOST, reconcile.NOBODY_CAME)
