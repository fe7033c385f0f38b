"""The workspace: whether it changed, saving it, bringing it back."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from labs.engine import frames
from labs.engine.base import EngineError
from labs.engine.wire import take
from tests.engine_fixtures import ReadyLab

pytestmark = pytest.mark.docker

FILL = r"""
mkdir -p deep/er empty closed
echo hello > deep/er/file
printf 'caf\351' > "$(printf 'n\351')"
echo x > "$(printf 'two\nlines')"
echo x > ./-dash
printf '#!/bin/sh\necho ran\n' > tool; chmod 755 tool
ln -s deep/er/file link
chmod 500 closed
"""
LOOK = "find . -printf '%P %M %s %l\\n' | sort; cat deep/er/file; ./tool"


def names(archive: bytes) -> list[str]:
    with tarfile.open(
        fileobj=io.BytesIO(archive), encoding="utf-8", errors="surrogateescape"
    ) as tar:
        return tar.getnames()


def test_a_workspace_is_the_same_in_a_new_lab(make_lab: Callable[..., ReadyLab]) -> None:
    first, second = make_lab(), make_lab()
    first.sh(FILL)
    seen = first.sh(LOOK).output

    second.link.restore_workspace(first.link.save_workspace())

    assert second.sh(LOOK).output == seen
    assert seen.endswith(b"hello\nran\n")


def test_saving_the_same_files_twice_gives_the_same_bytes(lab: ReadyLab) -> None:
    lab.sh(FILL)

    first = lab.link.save_workspace()
    lab.link.restore_workspace(first)

    assert lab.link.save_workspace() == first


def test_restoring_removes_what_was_there_even_where_it_is_closed(lab: ReadyLab) -> None:
    empty = lab.link.save_workspace()
    lab.sh("mkdir -p a/b; echo x > a/b/c; chmod 000 a/b; chmod 500 a; echo x > .hidden")

    lab.link.restore_workspace(empty)

    assert lab.sh("ls -A").output == b""


def test_restoring_does_not_follow_a_link_out_of_the_workspace(lab: ReadyLab) -> None:
    empty = lab.link.save_workspace()
    lab.sh("mkdir /tmp/outside; echo precious > /tmp/outside/file; ln -s /tmp/outside door")

    lab.link.restore_workspace(empty)

    assert lab.sh("ls -A; cat /tmp/outside/file").output == b"precious\n"


def test_a_new_labs_workspace_is_unchanged(lab: ReadyLab) -> None:
    assert not lab.run("ls").exit.workspace_changed


@pytest.mark.parametrize(
    "change",
    [
        "echo x > new",
        "echo y > file",
        "rm file",
        "chmod 600 file",
        "mv file other",
        "mkdir directory",
        "ln -s file link",
        "touch sub/deep",
        "truncate -s 0 file",
    ],
)
def test_a_change_is_seen(lab: ReadyLab, change: str) -> None:
    lab.sh("echo x > file; mkdir sub; touch sub/deep")
    lab.link.save_workspace()

    assert not lab.sh("cat file; ls -R; echo x > /tmp/elsewhere").exit.workspace_changed
    assert lab.sh(change).exit.workspace_changed


def test_a_change_stays_a_change_until_it_is_saved(lab: ReadyLab) -> None:
    assert lab.sh("echo x > file").exit.workspace_changed
    assert lab.run("true").exit.workspace_changed

    lab.link.save_workspace()

    assert not lab.run("true").exit.workspace_changed


def test_a_restored_workspace_is_unchanged(lab: ReadyLab) -> None:
    lab.sh("echo x > file")
    saved = lab.link.save_workspace()
    lab.sh("rm file")

    lab.link.restore_workspace(saved)

    assert not lab.run("true").exit.workspace_changed


def test_changes_hidden_from_the_group_are_seen_too(lab: ReadyLab) -> None:
    lab.sh("mkdir -m 700 secret; echo x > secret/file")
    lab.link.save_workspace()

    assert lab.sh("echo y >> secret/file").exit.workspace_changed


def test_more_files_than_can_be_watched_count_as_changed(lab: ReadyLab) -> None:
    lab.run("python3", "-c", "for n in range(6000): open(str(n), 'w').close()")
    lab.link.save_workspace()

    assert lab.run("true").exit.workspace_changed


def test_special_files_and_ways_out_are_left_behind(lab: ReadyLab) -> None:
    lab.sh("mkfifo pipe; ln -s /etc/passwd out; ln -s ../../.. up; echo x > kept")

    assert names(lab.link.save_workspace()) == ["kept"]


def test_a_hard_link_becomes_a_file_of_its_own(lab: ReadyLab) -> None:
    lab.sh("echo twin > one; ln one two")
    saved = lab.link.save_workspace()

    lab.link.restore_workspace(saved)

    assert lab.sh("cat one two; stat -c %h one").output == b"twin\ntwin\n1\n"


def test_a_sparse_file_costs_no_time(lab: ReadyLab) -> None:
    lab.sh("truncate -s 60M holes; echo x > kept")

    assert "kept" in names(lab.link.save_workspace())


def test_an_unreadable_file_does_not_spoil_the_rest(lab: ReadyLab) -> None:
    lab.sh("echo x > kept; echo x > closed; chmod 000 closed")

    assert names(lab.link.save_workspace()) == ["kept"]


NEST = """
import os
for number in range(15_000):
    os.mkdir("d")
    os.chdir("d")
"""


def test_folders_in_folders_without_end_spoil_neither_saving_nor_restoring(lab: ReadyLab) -> None:
    lab.sh("echo x > kept")
    assert lab.run("python3", "-c", NEST).exit.exit_code == 0

    saved = lab.link.save_workspace()
    lab.link.restore_workspace(saved)

    assert "kept" in names(saved)
    assert len(names(saved)) == 101
    assert lab.sh("cat kept; find d | wc -l").output == b"x\n100\n"


def test_a_workspace_whose_folder_is_closed_is_saved_and_restored_all_the_same(
    lab: ReadyLab,
) -> None:
    ended = lab.sh("echo x > kept; chmod 000 .").exit

    saved = lab.link.save_workspace()
    lab.sh("chmod 000 .")
    lab.link.restore_workspace(saved)

    assert ended.workspace_changed
    assert names(saved) == ["kept"]
    assert lab.sh("cat kept").output == b"x\n"


def test_a_full_workspace_is_saved_and_restored(lab: ReadyLab) -> None:
    lab.sh("head -c 50000000 /dev/urandom > big; sha256sum big > sum")

    lab.link.restore_workspace(lab.link.save_workspace())

    assert lab.sh("sha256sum -c sum").output == b"big: OK\n"


def test_an_archive_that_is_none_is_refused(lab: ReadyLab) -> None:
    with pytest.raises(EngineError, match="could not take its files"):
        lab.link.restore_workspace(b"not a tar at all" * 1000)

    assert lab.run("echo", "alive").output == b"alive\n"


def test_a_run_goes_on_while_the_workspace_is_saved(lab: ReadyLab) -> None:
    run_id = lab.start("sh", "-c", "sleep 0.5; echo done")

    lab.link.save_workspace()

    assert lab.follow(run_id).output == b"done\n"


def test_nothing_is_saved_while_the_files_are_being_replaced(lab: ReadyLab) -> None:
    lab.sh("echo x > kept")
    kept = lab.link.save_workspace()
    wire = lab.link.open()
    number, answers = wire.begin()
    wire.send(frames.encode(number, "restore"))

    with pytest.raises(EngineError, match="being replaced"):
        lab.link.save_workspace()

    wire.send(frames.encode(number, "data", body=kept) + frames.encode(number, "end"))
    assert take(answers, 30).number("status") == 0
    assert names(lab.link.save_workspace()) == ["kept"]


def test_files_are_replaced_although_somebody_saves_the_old_ones_without_end(lab: ReadyLab) -> None:
    lab.sh("echo x > kept")
    kept = lab.link.save_workspace()
    lab.sh("head -c 50000000 /dev/zero > big")
    lab.start("sh", "-c", "until pkill -STOP -x tar; do :; done")

    with ThreadPoolExecutor(1) as pool:
        saving = pool.submit(lab.link.save_workspace)
        lab.sh("until ps -C tar -o stat= | grep -q T; do sleep 0.05; done")
        lab.link.restore_workspace(kept)
        with pytest.raises(EngineError, match="could not save"):
            saving.result(30)

    assert lab.sh("ls; cat kept").output == b"kept\nx\n"
