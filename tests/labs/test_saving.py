"""When the sweep saves what nobody else has saved."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from labs import checkpoints
from labs.models import Lab
from labs.saving import EVERY_S, QUIET_S, is_due, save_if_due
from tests.factories import make_user


@pytest.mark.parametrize(
    ("quiet_s", "since_save_s", "has_terminal", "due"),
    [
        pytest.param(None, 999, False, False, id="all is saved and nobody types"),
        pytest.param(0.1, 1, False, True, id="a run's checkpoint was cut off"),
        pytest.param(0.1, 1, True, False, id="somebody types just now"),
        pytest.param(QUIET_S, 1, True, True, id="the keys rest"),
        pytest.param(0.1, EVERY_S, True, True, id="somebody has typed for a minute"),
        pytest.param(None, EVERY_S, True, True, id="a program may go on without a key"),
        pytest.param(None, 5, True, False, id="a terminal is open and was saved just now"),
    ],
)
def test_files_are_saved_when_keys_rest_and_every_minute(quiet_s, since_save_s, has_terminal, due):
    found = is_due(quiet_s=quiet_s, since_save_s=since_save_s, has_terminal=has_terminal)
    assert found is due


@pytest.mark.django_db(transaction=True)
def test_a_sweep_does_not_wait_for_who_saves_a_slow_lab_already():
    now = timezone.now()
    lab = Lab.objects.create(owner=make_user(), state=Lab.State.READY, unsaved_since_at=now)

    def look() -> None:
        try:
            save_if_due(lab)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as sweep, checkpoints.alone_with(lab):
        sweep.submit(look).result(timeout=10)
    lab.refresh_from_db()
    assert lab.unsaved_since_at == now
