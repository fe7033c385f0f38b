"""`manage.py labs`: what it does, prints and exits with."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from labs.lifecycle import lab_of
from labs.models import Checkpoint, Lab, Wish
from tests.factories import make_checkpoint, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def labs(*words):
    """What it prints and its exit code."""
    out = io.StringIO()
    try:
        call_command("labs", *words, stdout=out)
    except SystemExit as end:
        return out.getvalue(), end.code
    return out.getvalue(), 0


def test_labs_are_listed_for_people_and_for_machines():
    lab_of(make_user("ada"))
    Lab.objects.create(owner=make_user("bob"), state=Lab.State.FAILED, reason="no image")
    text, code = labs("list")
    assert code == 0
    assert "ada  absent" in text
    assert "bob  failed" in text
    [row] = json.loads(labs("list", "--state", "failed", "--json")[0])
    assert (row["owner"], row["reason"], row["is_saved"]) == ("bob", "no image", True)


def test_users_have_to_be_named_and_known():
    for words in (["stop"], ["stop", "nobody"], ["reset", "--all", "ada"]):
        with pytest.raises(CommandError) as refused:
            labs(*words)
        assert refused.value.returncode == 2


def test_a_checkpoint_of_somebody_else_is_refused():
    lab_of(make_user("ada"))
    theirs = make_checkpoint(lab_of(make_user()), {"note": "a"})
    with pytest.raises(CommandError, match="has no checkpoint"):
        labs("reset", "ada", "--to", str(theirs.pk))


def test_a_change_that_is_under_way_exits_with_one():
    lab = lab_of(make_user("ada"))
    Wish.objects.create(lab=lab, kind="restart", deadline_at=lab.active_at)
    with pytest.raises(CommandError, match="Nothing more was done") as refused:
        labs("restart", "ada")
    assert refused.value.returncode == 1


@pytest.mark.docker
def test_a_lab_is_reset_examined_reconciled_and_stopped_by_hand(site_engine):
    lab = lab_of(make_user("ada"))
    checkpoint = make_checkpoint(lab, {"note": "a"})
    [done] = json.loads(labs("reset", "ada", "--to", str(checkpoint.pk), "--json")[0])
    assert (done["state"], done["outcome"]) == ("done", "reset")
    found, code = labs("doctor", "ada")
    assert (code, "Your lab has been looked at." in found) == (0, True)
    [round_] = json.loads(labs("reconcile", "--json")[0])
    assert round_["labs"] == {"ready": 1}
    [collected] = json.loads(labs("gc", "--json")[0])
    assert collected["checkpoints"] == 0
    text, code = labs("stop", "ada")
    assert (code, "ada  absent" in text) == (0, True)
    assert Checkpoint.objects.kept().exists()


@pytest.mark.docker
def test_the_doctor_exits_with_three_where_something_is_wrong(site_engine, settings):
    lab_of(make_user("ada"))
    settings.LAB_IMAGE = "agent-lab/no-such-image:ever"
    report, code = labs("doctor", "ada", "--json")
    assert code == 3
    assert [finding["code"] for finding in json.loads(report)[0]["findings"]] == ["image_gone"]
