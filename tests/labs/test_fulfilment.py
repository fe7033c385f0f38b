"""Restart, reset, rebuild, restore and undo on the real engine: what each of them keeps."""

from __future__ import annotations

import subprocess
import uuid

import pytest

from labs.doctor import find_troubles, read_facts
from labs.history import file_bytes, files_of
from labs.lab_requests import (
    request_checkpoint,
    request_examination,
    request_mending,
    request_rebuild,
    request_removal,
    request_reset,
    request_restart,
    request_restore,
    request_undo,
)
from labs.lifecycle import lab_of
from labs.models import Checkpoint, Host, Lab, Wish
from labs.receipts import output_of
from labs.requests import request_stop_lab
from tests.engine_fixtures import wait_until
from tests.factories import make_checkpoint, make_user
from tests.site_fixtures import await_output, await_run, press_run

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def owner(press):
    """A student whose lab runs, with the file `note` in it."""
    owner = make_user()
    press(owner, "docker exec agent sh -c 'echo first > note'")
    await_saved(owner)
    return owner


@pytest.fixture(scope="module")
def newer_image(lab_image):
    """The tag of an image that differs in a label, removed at the end."""
    tag = f"agent-lab/test-newer:{uuid.uuid4().hex[:8]}"
    build = ["docker", "build", "--quiet", "--tag", tag, "--label", f"test={tag}", "-"]
    subprocess.run(
        build, input=f"FROM {lab_image}\n".encode(), check=True, capture_output=True, timeout=120
    )
    yield tag
    subprocess.run(["docker", "rmi", "--force", tag], check=True, capture_output=True, timeout=60)


def await_saved(owner):
    wait_until(lambda: not Lab.objects.get(owner=owner).unsaved_since_at)


def done(wish):
    wait_until(lambda: not Wish.objects.active().filter(pk=wish.pk).exists())
    wish.refresh_from_db()
    return wish


def say(press, owner, script):
    """What a shell in the lab prints."""
    return output_of(press(owner, f"docker exec agent sh -c '{script}'")).decode()


def names(checkpoint):
    return [entry.name for entry in files_of(checkpoint)]


def test_a_restart_keeps_the_files_and_ends_the_programs_in_a_new_container(press, owner):
    before = lab_of(owner)
    wish = done(request_restart(before, actor=owner))
    assert (wish.state, wish.outcome, wish.actor) == ("done", "restarted", owner)
    lab = lab_of(owner)
    assert (lab.state, lab.generation) == ("ready", before.generation + 1)
    assert say(press, owner, "cat note") == "first\n"
    assert file_bytes(wish.before, "note") == b"first\n"


def test_a_reset_empties_the_lab_and_one_press_brings_the_files_back(press, owner):
    reset = done(request_reset(lab_of(owner), actor=owner))
    assert (reset.outcome, names(reset.result), names(reset.before)) == ("reset", [], ["note"])
    assert say(press, owner, "ls") == ""
    undo = done(request_undo(reset, actor=owner))
    assert undo.outcome == "undone"
    assert say(press, owner, "cat note") == "first\n"


def test_a_reset_to_an_earlier_time_keeps_what_came_after_it_for_undo(press, owner):
    early = Checkpoint.objects.first()
    say(press, owner, "echo second > note; echo more > other")
    await_saved(owner)
    reset = done(request_reset(lab_of(owner), actor=owner, to=early))
    assert say(press, owner, "cat note; ls") == "first\nnote\n"
    done(request_undo(reset, actor=owner))
    assert say(press, owner, "cat note; ls") == "second\nnote\nother\n"


def test_a_rebuild_makes_a_new_container_with_the_same_files(press, owner):
    old = lab_of(owner).container_id
    assert done(request_rebuild(lab_of(owner), actor=owner)).outcome == "rebuilt"
    assert lab_of(owner).container_id != old
    assert say(press, owner, "cat note") == "first\n"


def test_a_restart_keeps_the_image_and_a_rebuild_takes_the_newest(
    press, owner, settings, newer_image
):
    old = lab_of(owner).image
    settings.LAB_IMAGE = newer_image
    done(request_restart(lab_of(owner), actor=owner))
    assert lab_of(owner).image == old
    done(request_rebuild(lab_of(owner), actor=owner))
    assert lab_of(owner).image != old
    assert say(press, owner, "cat note") == "first\n"


def test_one_file_is_restored_beside_all_others_and_can_be_undone(press, owner):
    early = Checkpoint.objects.first()
    say(press, owner, "echo second > note; mkfifo pipe; echo kept > other")
    await_saved(owner)
    wish = request_restore(lab_of(owner), actor=owner, checkpoint=early, name="note")
    assert done(wish).outcome == "restored"
    assert say(press, owner, "cat note other; test -p pipe; echo $?") == "first\nkept\n0\n"
    done(request_undo(wish, actor=owner))
    assert say(press, owner, "cat note other") == "second\nkept\n"


def test_files_are_restored_without_a_lab_and_it_starts_with_them(press, owner):
    early = Checkpoint.objects.first()
    say(press, owner, "echo second > note")
    await_saved(owner)
    request_stop_lab(lab_of(owner), actor=owner)
    wait_until(lambda: lab_of(owner).state == "absent")
    wish = done(request_restore(lab_of(owner), actor=owner, checkpoint=early, name="note"))
    assert (wish.outcome, lab_of(owner).state) == ("restored", "absent")
    assert say(press, owner, "cat note") == "first\n"


def test_a_removed_file_stays_in_the_history(press, owner):
    wish = done(request_removal(lab_of(owner), actor=owner, name="note"))
    assert (wish.outcome, names(wish.result)) == ("file_removed", [])
    assert say(press, owner, "ls") == ""
    assert file_bytes(wish.before, "note") == b"first\n"


def test_a_hand_in_saves_what_no_run_has_saved_and_always_has_a_checkpoint_of_its_own(press, owner):
    first = done(request_checkpoint(owner, cause=Checkpoint.Cause.HAND_IN))
    second = done(request_checkpoint(owner, cause=Checkpoint.Cause.HAND_IN))
    assert first.result != second.result
    assert {first.result.cause, second.result.cause} == {"hand_in"}
    assert first.result.blob_id == second.result.blob_id
    assert Checkpoint.objects.count() == 3


def test_an_examination_finds_a_full_disk_with_its_largest_file_and_unwritable_files(press, owner):
    say(press, owner, "echo a > locked; chmod 000 locked; dd if=/dev/zero of=big bs=1M; true")
    wish = done(request_examination(lab_of(owner), actor=owner))
    assert wish.outcome == "examined"
    assert wish.facts["workspace"]["free_bytes"] < 64 * 1024
    assert wish.facts["largest"][0]["name"] == "big"
    assert not wish.facts["is_writable"]
    assert wish.facts["is_owned"]
    assert done(request_mending(lab_of(owner), actor=owner)).outcome == "mended"
    healthy = done(request_examination(lab_of(owner), actor=owner))
    assert healthy.facts["is_writable"]


def test_on_a_host_without_a_place_a_reset_counts_from_the_next_start(press, owner):
    host = lab_of(owner).host
    Host.objects.filter(pk=host.pk).update(is_draining=True)
    wish = done(request_reset(lab_of(owner), actor=owner))
    assert (wish.state, wish.outcome, names(wish.result)) == ("done", "no_place", [])
    Host.objects.filter(pk=host.pk).update(is_draining=False)
    assert say(press, owner, "ls") == ""


def test_a_full_process_table_is_found_and_a_restart_clears_it(press, owner):
    """Beside the run that fills it: a restart must get through all the same."""
    # a shell that can't fork ends, and its run with it: so the one that fills it is an inner one
    fill = "(for i in $(seq 200); do sleep 60 & done); echo full; exec sleep 60"
    full = press_run(owner, f"docker exec agent sh -c '{fill}'")
    await_output(full, b"full\n")
    assert process_trouble(owner) == ["processes_full"]
    assert done(request_restart(lab_of(owner), actor=owner)).outcome == "restarted"
    assert await_run(full).is_over
    assert process_trouble(owner) == []
    assert say(press, owner, "cat note") == "first\n"


def process_trouble(owner):
    wish = done(request_examination(lab_of(owner), actor=owner))
    return [finding.code for finding in find_troubles(read_facts(wish.facts))]


def test_a_lab_that_cannot_take_its_files_starts_without_them_and_keeps_them(press):
    owner = make_user()
    full = make_checkpoint(lab_of(owner), {"note": "small\n", "big": "0" * 66 * 1024 * 1024})
    assert say(press, owner, "ls") == ""
    kept = Checkpoint.objects.get(cause=Checkpoint.Cause.NOT_RESTORED)
    assert kept.blob_id == full.blob_id
    wish = request_restore(lab_of(owner), actor=owner, checkpoint=kept, name="note")
    assert done(wish).outcome == "restored"
    assert say(press, owner, "cat note") == "small\n"


def test_files_that_do_not_fit_leave_the_lab_as_it_was(press, owner):
    full = make_checkpoint(lab_of(owner), {"big": "0" * 66 * 1024 * 1024})
    Checkpoint.objects.filter(pk=full.pk).update(made_at="2026-01-01T00:00Z")
    wish = done(request_restore(lab_of(owner), actor=owner, checkpoint=full))
    assert (wish.state, wish.outcome) == ("refused", "does_not_fit")
    assert say(press, owner, "cat note; ls") == "first\nnote\n"
