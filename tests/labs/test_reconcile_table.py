"""The table of what is done about a lab: every case, and how both sides are read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from labs.engine.base import LabStatus
from labs.models import Lab
from labs.reconcile_table import (
    TABLE,
    Act,
    Says,
    Sees,
    decide,
    is_stray,
    read_container,
    read_row,
)

NOW = timezone.now()
LATE = NOW - timedelta(seconds=1)
IN_TIME = NOW + timedelta(seconds=9)


def container(state: str = "running", **fields: object) -> LabStatus:
    facts = {"lab_id": "1", "generation": 3, "container_id": "c3", "image": "", "spec_hash": ""}
    return LabStatus(state=state, **{**facts, **fields})  # type: ignore[arg-type]


def test_every_case_has_its_action() -> None:
    assert set(TABLE) == {(says, sees) for says in Says for sees in Sees}


@pytest.mark.parametrize("says", [Says.READY, Says.PAUSED, Says.WANTED])
@pytest.mark.parametrize("sees", [Sees.NOTHING, Sees.ENDED, Sees.ANEW])
def test_a_lab_whose_files_are_lost_is_said_to_be_gone(says: Says, sees: Sees) -> None:
    assert decide(says, sees) == Act.NOTE_GONE


def test_a_ready_lab_that_somebody_paused_is_woken() -> None:
    assert decide(Says.READY, Sees.PAUSED) == Act.WAKE


def test_a_paused_lab_is_woken_only_when_a_run_waits_for_it() -> None:
    assert decide(Says.WANTED, Sees.PAUSED) == Act.WAKE
    assert decide(Says.PAUSED, Sees.PAUSED) == Act.LEAVE


def test_a_paused_lab_that_somebody_woke_is_called_ready() -> None:
    assert decide(Says.PAUSED, Sees.RUNNING) == Act.NOTE_AWAKE


def test_a_ready_lab_that_runs_is_saved_if_it_needs_to_be() -> None:
    assert decide(Says.READY, Sees.RUNNING) == Act.SAVE


@pytest.mark.parametrize("sees", Sees)
def test_what_was_cut_off_is_taken_up_whatever_is_there(sees: Sees) -> None:
    assert decide(Says.START_CUT_OFF, sees) == Act.FAIL_START
    assert decide(Says.STOP_CUT_OFF, sees) == Act.RING_STOP


@pytest.mark.parametrize("says", [Says.ABSENT, Says.STARTING, Says.STOPPING])
@pytest.mark.parametrize("sees", Sees)
def test_what_somebody_works_on_is_left_alone(says: Says, sees: Sees) -> None:
    assert decide(says, sees) == Act.LEAVE


@pytest.mark.parametrize(
    ("state", "deadline_at", "has_run", "says"),
    [
        ("absent", None, False, Says.ABSENT),
        ("failed", None, True, Says.ABSENT),
        ("starting", IN_TIME, True, Says.STARTING),
        ("starting", LATE, True, Says.START_CUT_OFF),
        ("stopping", IN_TIME, False, Says.STOPPING),
        ("stopping", LATE, False, Says.STOP_CUT_OFF),
        ("ready", None, False, Says.READY),
        ("paused", None, False, Says.PAUSED),
        ("paused", None, True, Says.WANTED),
    ],
)
def test_a_row_is_read(state: str, deadline_at: object, has_run: bool, says: Says) -> None:
    lab = Lab(state=state, state_deadline_at=deadline_at)
    assert read_row(lab, has_run=has_run, now=NOW) == says


@pytest.mark.parametrize(
    ("status", "known", "seen", "sees"),
    [
        (None, "t1", "", Sees.NOTHING),
        (container("running"), "t1", "t1", Sees.RUNNING),
        (container("running"), "", "t2", Sees.RUNNING),
        (container("running"), "t1", "t2", Sees.ANEW),
        (container("paused"), "t1", "t1", Sees.PAUSED),
        (container("paused"), "t1", "t2", Sees.ANEW),
        (container("exited"), "t1", "", Sees.ENDED),
        (container("created"), "t1", "", Sees.ENDED),
        (container("dead"), "t1", "", Sees.ENDED),
    ],
)
def test_a_container_is_read(status: LabStatus | None, known: str, seen: str, sees: Sees) -> None:
    assert read_container(status, known_start=known, seen_start=seen) == sees


@pytest.mark.parametrize(
    ("lab", "is_one"),
    [
        (None, True),
        (Lab(state="absent", generation=3), True),
        (Lab(state="failed", generation=3), True),
        (Lab(state="ready", generation=3, container_id="c3"), False),
        (Lab(state="paused", generation=3, container_id="c3"), False),
        (Lab(state="ready", generation=4, container_id="c4"), True),
        (Lab(state="starting", generation=3), False),
        (Lab(state="starting", generation=4), True),
        (Lab(state="stopping", generation=3, container_id="c3"), False),
    ],
)
def test_a_container_that_no_row_stands_for_is_a_stray(lab: Lab | None, is_one: bool) -> None:
    assert is_stray(lab, container()) == is_one
