"""The files that a run left are read from the checkpoint after it, and never from a later one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from labs import saved_files
from labs.lifecycle import mark_saved, mark_unsaved
from labs.saved_files import files_after
from tests.factories import make_checkpoint, make_finished_run, make_user

pytestmark = pytest.mark.django_db


def run_at(owner, minutes, **fields):
    """A run that ended so many minutes ago."""
    at = timezone.now() - timedelta(minutes=minutes)
    return make_finished_run(owner, queued_at=at, started_at=at, ended_at=at, **fields)


def save_at(lab, minutes, files, **fields):
    made_at = timezone.now() - timedelta(minutes=minutes)
    return make_checkpoint(lab, files, made_at=made_at, **fields)


def files_of(run):
    return files_after([run])[run.pk]


def test_a_runs_own_checkpoint_holds_its_files():
    run = run_at(make_user(), 10)
    save_at(run.lab, 9, {"./demo/charges.log": "A1\nA2\n"}, run=run)
    files = files_of(run)
    assert files.can_be_read
    assert files.read("demo/charges.log") == "A1\nA2\n"
    assert files.read("demo/./charges.log") == "A1\nA2\n"


def test_a_run_that_changed_nothing_left_the_files_of_the_one_before():
    owner = make_user()
    first = run_at(owner, 10)
    save_at(first.lab, 9, {"note": "first"}, run=first)
    second = run_at(owner, 5)
    assert files_of(second).read("note") == "first"


def test_what_a_later_run_wrote_is_not_an_earlier_ones():
    owner = make_user()
    first, second = run_at(owner, 10), run_at(owner, 5)
    save_at(first.lab, 9, {"note": "first"}, run=first)
    save_at(first.lab, 4, {"note": "second"}, run=second)
    assert [files_of(run).read("note") for run in (first, second)] == ["first", "second"]


def test_a_file_that_is_not_there_and_a_folder_have_no_text():
    run = run_at(make_user(), 10)
    save_at(run.lab, 9, {"demo/note": "here"}, run=run)
    assert [files_of(run).read(path) for path in ("other", "demo", "")] == [None, None, None]


def test_a_lab_that_never_saved_anything_has_no_files():
    files = files_of(run_at(make_user(), 1))
    assert files.can_be_read
    assert files.read("note") is None


def test_files_that_are_still_being_saved_are_waited_for():
    run = make_finished_run(make_user(), ended_at=timezone.now() + timedelta(minutes=1))
    mark_unsaved(run.lab)
    assert files_of(run).is_pending
    assert not files_of(run).can_be_read
    mark_saved(run.lab, unsaved_since_at=run.lab.unsaved_since_at)
    assert files_of(run).can_be_read


def test_a_later_run_that_goes_on_hides_nothing_of_an_earlier_one():
    run = run_at(make_user(), 10)
    save_at(run.lab, 9, {"note": "first"}, run=run)
    mark_unsaved(run.lab)
    assert files_of(run).read("note") == "first"


def test_a_workspace_that_is_too_large_for_a_page_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(saved_files, "MAX_WORKSPACE_BYTES", 1_000)
    run = run_at(make_user(), 10)
    save_at(run.lab, 9, {"note": "x"}, run=run)
    assert not files_of(run).can_be_read


def test_another_students_files_are_never_looked_into():
    theirs = run_at(make_user(), 10)
    save_at(theirs.lab, 9, {"note": "secret"}, run=theirs)
    assert files_of(run_at(make_user(), 1)).read("note") is None


def test_many_runs_take_one_query_and_no_run_none(django_assert_num_queries):
    owner = make_user()
    runs = [run_at(owner, minutes) for minutes in range(1, 9)]
    with django_assert_num_queries(1):
        assert len(files_after(runs)) == 8
    with django_assert_num_queries(0):
        assert files_after([]) == {}
