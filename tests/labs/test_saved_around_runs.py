"""Files are saved before and after a run, so that the history shows what each run changed."""

from __future__ import annotations

import subprocess

import pytest

from labs.history import files_of
from labs.lab_requests import request_new_limits
from labs.lifecycle import lab_of
from labs.models import Checkpoint, Lab, Run, Wish
from labs.saved_files import files_after
from labs.terminals import note_typing
from tests.engine_fixtures import wait_until
from tests.factories import make_terminal, make_user

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def owner(press):
    """A student whose lab runs, with the file `note` in it."""
    owner = make_user()
    press(owner, write("note"))
    await_saved(owner)
    return owner


def write(name: str) -> str:
    return f"docker exec agent sh -c 'echo hello > {name}'"


def await_saved(owner):
    wait_until(lambda: not Lab.objects.get(owner=owner).unsaved_since_at)


def type_file(session, name: str) -> None:
    """As if a command that writes the file had just been typed in the terminal."""
    lab = lab_of(session.owner)
    user = f"{lab.uid}:{lab.uid}"
    place = ["--user", user, "--workdir", "/home/node/project", lab.container_id]
    subprocess.run(["docker", "exec", *place, "touch", name], check=True, timeout=120)
    note_typing(session)


def history(owner) -> list[tuple[str, list[str]]]:
    """Cause and files of each checkpoint, the newest first."""
    kept = Checkpoint.objects.of_owner(owner)
    return [(found.cause, [entry.name for entry in files_of(found)]) for found in kept]


def test_what_was_typed_before_a_run_is_saved_before_it(press, owner):
    type_file(make_terminal(owner), "typed")
    run = press(owner, write("ran"))
    await_saved(owner)
    assert history(owner) == [
        ("run", ["note", "ran", "typed"]),
        ("before_run", ["note", "typed"]),
        ("run", ["note"]),
    ]
    assert list(Checkpoint.objects.filter(run=run).values_list("cause", flat=True)) == ["run"]


def test_of_runs_that_follow_at_once_each_has_its_own_files(press):
    owner = make_user()
    runs = [press(owner, write(name)) for name in ("a", "b", "c")]
    await_saved(owner)
    assert history(owner) == [("run", ["a", "b", "c"]), ("run", ["a", "b"]), ("run", ["a"])]
    left = files_after(runs)
    assert [left[run.pk].read("b") for run in runs] == [None, "hello\n", "hello\n"]


def test_files_that_a_run_left_unsaved_are_saved_as_its_own(press, owner):
    """As after a worker that died between the receipt and the checkpoint."""
    run = Run.objects.get()
    Checkpoint.objects.all().delete()
    Lab.objects.update(unsaved_since_at=run.started_at)
    await_saved(owner)
    assert [found.run for found in Checkpoint.objects.all()] == [run]


def test_a_change_of_limits_saves_first_and_says_so(owner):
    type_file(make_terminal(owner), "typed")
    wish = request_new_limits(lab_of(owner), actor=owner)
    wait_until(lambda: not Wish.objects.active().exists())
    wish.refresh_from_db()
    assert (wish.outcome, wish.before.cause) == ("restarted", Checkpoint.Cause.LIMITS)
    assert history(owner)[0] == ("limits", ["note", "typed"])
