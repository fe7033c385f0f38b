"""Hand-ins whose completion is cut off: whole or still waiting, never half, and never twice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from course.handins import read_manifest
from course.models import HandIn, MarkEntry
from labs.lifecycle import lab_of
from labs.models import Checkpoint, Lab
from tests.engine_fixtures import wait_until
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_handin,
    make_terminal,
    make_user,
)
from tests.faults.sites import await_death

pytestmark = [
    pytest.mark.faults,
    pytest.mark.docker,
    pytest.mark.django_db(transaction=True),
]

COMPLETE = "import django; django.setup(); from course.sealing import seal_waiting; seal_waiting()"


@pytest.fixture
def handin(site):
    """With files and a recording; its lab has not answered, and that was long enough ago."""
    student = site.make_student()
    classroom = make_classroom(teacher=make_user(), students=[student])
    make_checkpoint(lab_of(student), {"note": "kept"})
    make_terminal(student, "$ echo hi\r\n", state="closed", closed_at=timezone.now())
    Lab.objects.filter(owner=student).update(state=Lab.State.READY)
    handin = make_handin(student, make_assignment(classroom), {"animal": "Quokka"})
    Lab.objects.filter(owner=student).update(state=Lab.State.ABSENT)
    HandIn.objects.update(files_until_at=timezone.now() - timedelta(seconds=1))
    return handin


def complete(site, **environment):
    """What the beat's task does, in a process of its own."""
    return site.start("-c", COMPLETE, **environment)


def assert_whole_once(handin):
    handin.refresh_from_db()
    assert handin.state == HandIn.State.HANDED_IN
    assert read_manifest(handin)["recordings"]
    assert MarkEntry.objects.count() == handin.marks.count() == 5
    assert handin.checkpoint.cause == Checkpoint.Cause.HAND_IN


@pytest.mark.parametrize("point", ["sealing_hand_in", "hand_in_sealed"])
def test_a_worker_killed_while_it_completes_a_hand_in_leaves_it_waiting_and_whole(
    site, handin, point
):
    await_death(complete(site, LAB_FAILPOINTS=point))
    handin.refresh_from_db()
    assert (handin.state, handin.sha256) == (HandIn.State.COLLECTING, "")
    assert not handin.marks.exists()
    assert complete(site).wait(120) == 0
    assert_whole_once(handin)


def test_two_workers_at_once_complete_it_once(site, handin):
    both = [complete(site), complete(site)]
    assert [process.wait(120) for process in both] == [0, 0]
    assert_whole_once(handin)
    assert Checkpoint.objects.filter(cause=Checkpoint.Cause.HAND_IN).count() == 1


def test_a_site_completes_it_by_itself(site, handin):
    site.start_worker()
    wait_until(lambda: HandIn.objects.filter(state=HandIn.State.HANDED_IN).exists())
    assert_whole_once(handin)
