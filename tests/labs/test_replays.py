"""The page of a replay: no long pauses, and a jump to each run that was typed, by its receipt."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from itertools import pairwise

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from labs.recordings import Event
from labs.replays import PAUSE_S, Replay, without_pauses
from labs.terminals import Taken, store_piece
from tests.factories import make_finished_run, make_terminal, make_user
from tests.markup import elements, words_of

PAUSED = [(1.0, "$ "), (31.0, "$ docker exec agent node job.js\r\n"), (31.5, "done\r\n")]


@pytest.fixture
def owner(db):
    return make_user("ada")


@pytest.fixture
def recorded(owner):
    """A terminal in which somebody thought for half a minute before they pressed Run."""
    session = make_terminal(owner)
    lines = "".join(json.dumps([at_s, "o", shown]) + "\n" for at_s, shown in PAUSED)
    store_piece(session, Taken(0, len(lines), PAUSED[-1][0], lines))
    return session


def typed(session, at_s, **fields):
    return make_finished_run(session.owner, typed_into=session.pk, typed_at_s=at_s, **fields)


@given(st.lists(st.floats(0, 1000), max_size=30))
def test_nothing_stands_still_for_longer_than_a_pause_and_nothing_else_is_changed(moments):
    events = [Event(at_s, "o", str(at_s)) for at_s in sorted(moments)]
    short = without_pauses(events)
    gaps = [after.at_s - before.at_s for before, after in pairwise(short)]
    assert [event.data for event in short] == [event.data for event in events]
    assert all(-1e-9 <= gap <= PAUSE_S + 1e-9 for gap in gaps)


@pytest.mark.parametrize(
    ("recorded_s", "shown_s"), [(0.2, 0.0), (1.0, 1.0), (2.5, 2.5), (30.9, 3.0), (31.2, 3.2)]
)
def test_a_moment_of_the_recording_is_one_of_the_replay(recorded, recorded_s, shown_s):
    assert Replay(recorded).moment(recorded_s) == pytest.approx(shown_s)


def test_what_came_behind_the_recordings_end_has_no_moment(recorded):
    assert Replay(recorded).moment(32.0) is None


def test_runs_are_those_that_were_typed_here_with_the_moment_of_their_receipt(recorded):
    first = typed(recorded, 30.9)
    make_finished_run(recorded.owner)
    typed(make_terminal(recorded.owner, number=2), 1.0)
    lost = typed(recorded, None, state="lost")
    runs = Replay(recorded).runs
    assert [(each.run.pk, each.clock) for each in runs] == [(first.pk, "0:03"), (lost.pk, "")]


def test_who_may_see_only_up_to_a_day_sees_neither_output_nor_runs_of_later(recorded):
    until = timezone.now()
    later = until + timedelta(seconds=1)
    typed(recorded, 31.2, queued_at=later)
    recorded.pieces.create(offset=500, lines=json.dumps([40, "o", "later"]) + "\n", stored_at=later)
    replay = Replay(recorded, until)
    assert [event.data for event in replay.events] == [shown for _, shown in PAUSED]
    assert not replay.runs


def test_from_a_receipt_one_comes_to_its_moment_in_the_recording_and_back(client, recorded):
    run = typed(recorded, 30.9)
    client.force_login(recorded.owner)
    receipt = reverse("labs:run-detail", args=[run.pk])
    way = reverse("labs:run-in-terminal", args=[run.pk])
    assert elements(client.get(receipt), "a", href=way)
    page = client.get(way, follow=True)
    assert elements(page, "div", data_start="3.0")
    assert elements(page, "button", data_seek="3.0")
    assert elements(page, "li", aria_current="true")
    assert elements(page, "a", href=receipt)


def test_a_recording_that_is_no_longer_kept_is_said_beside_the_receipt(client, owner):
    run = make_finished_run(owner, b"all that it wrote\n", typed_into=uuid.uuid4())
    client.force_login(owner)
    page = words_of(client.get(reverse("labs:run-in-terminal", args=[run.pk])))
    assert "is no longer kept" in page
    assert "all that it wrote" in page


def test_a_run_apart_was_typed_nowhere(client, owner):
    client.force_login(owner)
    address = reverse("labs:run-in-terminal", args=[make_finished_run(owner).pk])
    assert client.get(address).status_code == 404


def test_a_link_that_names_no_run_of_this_terminal_begins_at_the_beginning(client, recorded):
    client.force_login(recorded.owner)
    page = reverse("labs:terminal-replay", args=[recorded.pk])
    for run in ("", "none", str(uuid.uuid4())):
        shown = client.get(page, {"run": run})
        assert shown.status_code == 200
        assert not elements(shown, "div", data_start="3.0")


def test_the_player_gets_what_the_page_dates_and_a_download_what_was_recorded(client, recorded):
    client.force_login(recorded.owner)
    cast = reverse("labs:terminal-cast", args=[recorded.pk])
    short = client.get(f"{cast}?pauses=short").content.decode().splitlines()
    whole = client.get(cast).content.decode().splitlines()
    assert [json.loads(line)[0] for line in short[1:]] == [1.0, 3.0, 3.5]
    assert [json.loads(line)[0] for line in whole[1:]] == [1.0, 31.0, 31.5]
