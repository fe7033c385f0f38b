"""When the sweep saves what nobody else has saved."""

from __future__ import annotations

import pytest

from labs.saving import EVERY_S, QUIET_S, is_due


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
