"""The drill: back up, destroy, restore, and compare every row and every checkpoint."""

from __future__ import annotations

import gzip
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.core.serializers import serialize

from course.backups import kept_models
from course.demo import ensure_demo
from course.models import User
from labs.audit import note_view
from labs.lifecycle import lab_of
from labs.models import Checkpoint
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_terminal,
    make_user,
)

pytestmark = pytest.mark.django_db(transaction=True)


def make_rows(folder: Path) -> None:
    """A class with something of nearly everything, in bytes that are no text."""
    ensure_demo(folder / "accounts.json")
    ann, teacher = make_user("ann"), make_user("bob")
    make_assignment(make_classroom(teacher=teacher, students=[ann]))
    make_finished_run(ann, output=b"\x00\xff zero\n")
    make_checkpoint(lab_of(ann), {"note": "kept"})
    make_terminal(ann, shown="hello")
    note_view(viewer=teacher, owner=ann)


def all_rows() -> dict[str, str]:
    """Every row of every model, as text."""
    return {
        model._meta.label: serialize("jsonl", model._base_manager.order_by("pk"))
        for model in kept_models()
    }


def say(*command) -> str:
    said = StringIO()
    call_command(*command, stdout=said)
    return said.getvalue()


def destroy() -> None:
    call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    make_rows(tmp_path)
    path = tmp_path / "monday.jsonl.gz"
    say("backup", path)
    return path


@pytest.mark.core
def test_a_restored_site_has_every_row_and_checkpoint_of_the_backup(backup):
    before = all_rows()
    filled = [label for label, rows in before.items() if rows]
    assert {"course.Answer", "course.HandIn", "course.Mark", "course.Remark"} <= set(filled)
    assert {"course.Classroom", "labs.OutputChunk", "labs.Blob", "labs.AuditEntry"} <= set(filled)
    destroy()
    assert not User.objects.exists()
    assert "rows restored" in say("restore", backup)
    assert all_rows() == before
    assert gzip.decompress(Checkpoint.objects.get().blob.gzipped)


@pytest.mark.core
def test_a_restored_site_goes_on_with_new_rows(backup):
    destroy()
    say("restore", backup)
    assert make_user("new").pk > User.objects.get(username="ann").pk
    assert User.objects.get(username="ann").check_password("a good passphrase")


def test_nobody_else_may_read_a_backup_and_none_is_overwritten(backup):
    assert backup.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="there already"):
        say("backup", backup)


def test_a_database_with_rows_is_not_restored_into(backup):
    before = all_rows()
    with pytest.raises(CommandError, match="has rows already"):
        say("restore", backup)
    assert all_rows() == before


@pytest.mark.parametrize("left_out", [1, 2])
def test_a_cut_off_backup_restores_nothing(backup, left_out):
    with gzip.open(backup, "rt") as file:
        lines = file.readlines()
    with gzip.open(backup, "wt") as file:
        file.writelines([*lines[:-left_out], *(lines[-1:] if left_out == 2 else [])])
    destroy()
    with pytest.raises(CommandError, match="Nothing was changed"):
        say("restore", backup)
    assert not User.objects.exists()


def test_a_file_that_is_no_backup_is_refused(tmp_path):
    other = tmp_path / "other.gz"
    with gzip.open(other, "wt") as file:
        file.write("something else\n")
    with pytest.raises(CommandError, match="no backup"):
        say("restore", other)


def test_a_backup_of_another_version_is_refused(backup):
    with gzip.open(backup, "rt") as file:
        text = file.read()
    with gzip.open(backup, "wt") as file:
        file.write(text.replace("labs.0001_hosts_labs_runs", "labs.0001_something_else", 1))
    destroy()
    with pytest.raises(CommandError, match="another version"):
        say("restore", backup)
