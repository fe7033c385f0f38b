"""What a stream says of a run: everything once, whatever was lost on the way."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from labs import runs
from labs.engine.base import Output
from labs.models import Run
from labs.rendering import view_of_run
from labs.streams import RunReader
from tests.factories import make_exit, make_finished_run, make_run, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.core]


def say(run, offset, data):
    runs.add_output(run, [Output(offset, "stdout", 0.0, data)])


def lines_of(events):
    """The page's lines after the patches among `events`, as a browser would have them."""
    page = []
    for patch in patches_of(events):
        assert "fold" not in patch
        page[patch["from"] :] = patch["lines"]
    return page


def patches_of(events):
    datas = [e.split("data: ", 1)[1] for e in events if "event: lines\n" in e]
    return [json.loads(data) for data in datas]


def states_of(events):
    datas = [e.split("data: ", 1)[1] for e in events if "event: state\n" in e]
    return [json.loads(data)["words"] for data in datas]


def test_output_comes_as_it_is_stored_and_the_page_is_the_same_as_after_a_reload():
    run = make_run(make_user(), state=Run.State.RUNNING)
    reader = RunReader(run)
    events = []
    for offset, data in [(0, b"A1: do"), (6, b"ne\nA2"), (11, b": done\n")]:
        say(run, offset, data)
        events += reader.read()[0]
    assert "".join(lines_of(events)) == view_of_run(run).output_html


def test_a_second_reader_gets_all_from_the_beginning():
    run = make_run(make_user(), state=Run.State.RUNNING)
    say(run, 0, b"one\n")
    first, second = RunReader(run), RunReader(run)
    first.read()
    say(run, 4, b"two\n")
    assert len(lines_of(second.read()[0])) == 2


def test_nothing_new_is_no_event():
    run = make_run(make_user(), state=Run.State.RUNNING)
    reader = RunReader(run)
    reader.read()
    assert reader.read() == ([], False)


def test_a_state_is_told_once():
    run = make_run(make_user(), queued_at=timezone.now() - timedelta(seconds=2))
    reader = RunReader(run)
    assert states_of(reader.read()[0]) == ["Waiting for your lab …"]
    Run.objects.update(state=Run.State.RUNNING)
    assert states_of(reader.read()[0]) == ["Running …"]
    assert states_of(reader.read()[0]) == []


def test_a_waiting_run_says_how_many_are_before_it():
    asked_at = timezone.now() - timedelta(seconds=2)
    first = make_run(make_user(), queued_at=asked_at)
    second = make_run(make_user(), queued_at=asked_at + timedelta(seconds=1))
    make_finished_run(make_user())
    assert states_of(RunReader(first).read()[0]) == ["Waiting for your lab …"]
    assert states_of(RunReader(second).read()[0]) == ["Waiting: 1 run is before yours …"]


def test_a_run_just_asked_for_is_told_nothing_that_its_page_says_already():
    make_run(make_user(), queued_at=timezone.now() - timedelta(seconds=2))
    run = make_run(make_user())
    assert view_of_run(run).headline == "Waiting for your lab …"
    assert RunReader(run).read() == ([], False)


def test_the_stream_of_a_run_whose_rows_were_deleted_ends():
    run = make_run(make_user())
    reader = RunReader(run)
    Run.objects.filter(pk=run.pk).delete()
    events, is_over = reader.read()
    assert ("event: over" in events[0], is_over) == (True, True)


def test_a_run_that_waits_says_for_what():
    run = make_run(make_user(), waiting_for="The lab machine does not answer just now.")
    assert states_of(RunReader(run).read()[0]) == ["The lab machine does not answer just now."]


def test_the_end_comes_after_the_last_output():
    run = make_run(make_user(), state=Run.State.RUNNING)
    say(run, 0, b"bye\n")
    runs.finish_run(run, make_exit(exit_code=1))
    events, is_over = RunReader(run).read()
    assert is_over
    assert [e.split("event: ")[1].split("\n")[0] for e in events] == ["lines", "state", "over"]
    assert states_of(events) == ["Finished, exit code 1"]


def test_bytes_that_nobody_kept_are_told_where_they_are_missing():
    run = make_finished_run(
        make_user(), output=b"head\n", bytes_total=1_000_005, truncated_bytes=1_000_000
    )
    assert "1,000,000 bytes left out" in "".join(lines_of(RunReader(run).read()[0]))


def test_output_is_never_markup():
    run = make_finished_run(make_user(), output=b'<img src=x onerror="alert(1)">\n')
    page = "".join(lines_of(RunReader(run).read()[0]))
    assert "<img" not in page
    assert "&lt;img" in page
