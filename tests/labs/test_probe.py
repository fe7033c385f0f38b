"""What a muster tries in a lab, and what it says of the answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labs.probe import ARGV, Found, name_problem, read_report
from tests.engine_fixtures import ReadyLab

WELL = Found("v22.1.0", "3.11.2", True, 60_000_000, True)


def test_a_report_is_read() -> None:
    written = b"node v22.1.0\npython Python 3.11.2\nfile kept\ndisk 60000000\n"
    assert read_report(written, exit_code=0) == WELL


@pytest.mark.parametrize("disk", [b"", b"much", b"-1", "٣".encode(), b"9" * 30])
def test_what_is_no_number_of_bytes_is_not_known(disk: bytes) -> None:
    assert read_report(b"disk " + disk, exit_code=0).disk_left_bytes is None


def test_nothing_is_said_of_a_lab_that_is_well() -> None:
    assert name_problem(WELL) == ""


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"node_version": "", "is_complete": False}, "No command"),
        ({"disk_left_bytes": 1000}, "disk"),
        ({"is_file_kept": False}, "No file"),
        ({"node_version": ""}, "Node"),
        ({"python_version": ""}, "Python"),
    ],
)
def test_each_problem_has_its_words(wrong: dict[str, object], word: str) -> None:
    assert word in name_problem(replace(WELL, **wrong))  # type: ignore[arg-type]


@pytest.mark.docker
def test_a_fresh_lab_is_well_and_left_as_it_was(lab: ReadyLab) -> None:
    lab.link.save_workspace()
    ran = lab.run(*ARGV)
    assert name_problem(read_report(ran.output, exit_code=ran.exit.exit_code)) == ""
    assert not ran.exit.workspace_changed
    assert lab.sh("ls -A").output == b""


@pytest.mark.docker
def test_a_lab_with_a_full_disk_is_found_out(lab: ReadyLab) -> None:
    lab.sh("head -c 60M /dev/zero > big")
    ran = lab.run(*ARGV)
    assert "disk" in name_problem(read_report(ran.output, exit_code=ran.exit.exit_code))
