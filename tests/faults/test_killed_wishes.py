"""A worker is killed at every step of a reset and of a restore. The next one carries on."""

from __future__ import annotations

import pytest

from labs.history import files_of
from labs.lab_requests import request_reset, request_restore
from labs.models import Lab, Wish
from tests.engine_fixtures import wait_until
from tests.faults.sites import all_at_once, await_death

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]


def ask_restore(lab, *, actor):
    """All files as they were saved last."""
    return request_restore(lab, actor=actor, checkpoint=lab.checkpoints.first())


RESET = ("archive_read:2", "wish_before_noted", "wish_lab_down", "wish_lab_up")
RESTORE = ("archive_read:3",)
ALL = [(request_reset, point) for point in RESET] + [(ask_restore, point) for point in RESTORE]


def outcome(wish):
    """How it ended, the files that it left, and those that Undo brings back."""
    wait_until(lambda: not Wish.objects.active().filter(pk=wish.pk).exists())
    wish.refresh_from_db()
    sides = (wish.result, wish.before)
    return wish.state, *([entry.name for entry in files_of(side)] for side in sides)


def test_a_wish_survives_a_kill_of_its_worker(make_site):
    def survive(case):
        ask, point = case
        site = make_site()
        worker = site.start_ready_worker(LAB_FAILPOINTS=point)
        first = site.have_files()
        wish = ask(Lab.objects.get(pk=first.lab_id), actor=first.owner)
        await_death(worker)
        site.start_worker()
        return outcome(wish)

    left = {request_reset: [], ask_restore: ["note"]}
    expected = {(ask, point): ("done", left[ask], ["note"]) for ask, point in ALL}
    assert all_at_once(survive, ALL) == expected
