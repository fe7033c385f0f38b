"""A worker is killed while it saves what was typed before a run. The next one saves, then runs."""

from __future__ import annotations

import subprocess

import pytest

from labs.history import files_of
from labs.models import Lab, Run
from labs.terminals import note_typing
from tests.factories import make_terminal
from tests.faults.counted import FILE, LINE, await_outcome, once
from tests.faults.sites import all_at_once, await_death

pytestmark = [pytest.mark.faults, pytest.mark.docker, pytest.mark.django_db(transaction=True)]

POINTS = ("lab_chosen:2", "archive_read:2")
"""Of the second run: before the files are read, and before they are stored."""


def type_file(lab: Lab, name: str) -> None:
    """As if a command that writes the file had just been typed in the terminal."""
    place = ["--user", f"{lab.uid}:{lab.uid}", "--workdir", "/home/node/project"]
    command = ["docker", "exec", *place, lab.container_id, "touch", name]
    subprocess.run(command, check=True, timeout=120)
    note_typing(make_terminal(lab.owner))


def history(run: Run) -> list[tuple[str, list[str]]]:
    """Cause and files of each checkpoint, the newest first."""
    saved = run.lab.checkpoints.all()
    return [(found.cause, [entry.name for entry in files_of(found)]) for found in saved]


def test_what_was_typed_before_a_run_is_saved_once_however_its_worker_dies(make_site):
    def survive(point: str) -> tuple[object, object]:
        site = make_site()
        worker = site.start_ready_worker(LAB_FAILPOINTS=point)
        first = site.have_files()
        type_file(Lab.objects.get(pk=first.lab_id), "typed")
        run = site.press_live(LINE, owner=first.owner)
        await_death(worker)
        site.start_worker()
        return await_outcome(run), history(run)

    saved = [
        ("run", [FILE, "note", "typed"]),
        ("before_run", ["note", "typed"]),
        ("run", ["note"]),
    ]
    assert all_at_once(survive, POINTS) == dict.fromkeys(POINTS, (once(), saved))
