"""Output beyond the budgets: head and tail are kept, all of it is counted."""

from __future__ import annotations

import pytest

from labs.engine.base import MIB
from tests.engine_fixtures import ReadyLab

pytestmark = pytest.mark.docker

KIB = 1024


def test_what_lies_between_head_and_tail_is_counted_and_dropped(shared_lab: ReadyLab) -> None:
    everything = b"".join(b"%d\n" % n for n in range(1, 200_001))

    ran = shared_lab.run("seq", "200000")

    total = len(everything)
    assert ran.output == everything[: 256 * KIB] + everything[-64 * KIB :]
    assert ran.exit.bytes_total == total
    assert ran.exit.lines_total == 200_000
    assert ran.exit.truncated_bytes == total - 320 * KIB
    tail = [piece for piece in ran.pieces if piece.offset >= 256 * KIB]
    assert tail[0].offset == total - 64 * KIB


def test_output_just_within_both_budgets_is_whole(shared_lab: ReadyLab) -> None:
    ran = shared_lab.run("head", "-c", str(320 * KIB), "/dev/zero")

    assert ran.output == bytes(320 * KIB)
    assert ran.exit.truncated_bytes == 0


def test_one_byte_more_is_one_byte_left_out(shared_lab: ReadyLab) -> None:
    ran = shared_lab.run("head", "-c", str(320 * KIB + 1), "/dev/zero")

    assert len(ran.output) == 320 * KIB
    assert ran.exit.truncated_bytes == 1


def test_budgets_are_as_asked(shared_lab: ReadyLab) -> None:
    ran = shared_lab.run("seq", "1000", head_bytes=10, tail_bytes=5)

    assert ran.output == b"1\n2\n3\n4\n5\n" + b"1000\n"
    assert ran.exit.truncated_bytes == ran.exit.bytes_total - 15


def test_a_flood_of_200_megabytes_is_counted_to_the_byte(shared_lab: ReadyLab) -> None:
    ran = shared_lab.run("head", "-c", str(200 * MIB), "/dev/zero", hard_cap_bytes=256 * MIB)

    assert ran.exit.reason == "exited"
    assert ran.exit.bytes_total == 200 * MIB
    assert len(ran.output) == 320 * KIB


def test_a_line_of_five_megabytes_is_one_line(shared_lab: ReadyLab) -> None:
    ran = shared_lab.sh("head -c 5000000 /dev/zero | tr '\\0' x; echo")

    assert ran.exit.lines_total == 1
    assert ran.exit.bytes_total == 5_000_001
    assert ran.output.endswith(b"xxx\n")


def test_an_unfinished_last_line_counts(shared_lab: ReadyLab) -> None:
    assert shared_lab.run("printf", "one\\ntwo").exit.lines_total == 2


def test_a_run_that_writes_for_ever_is_ended_at_its_cap(shared_lab: ReadyLab) -> None:
    ran = shared_lab.run("yes", time_limit_s=60, hard_cap_bytes=4 * MIB)

    assert (ran.exit.reason, ran.exit.exit_code) == ("output_limit", 137)
    assert 4 * MIB <= ran.exit.bytes_total < 5 * MIB
    assert ran.exit.duration_s < 30


def test_a_program_that_writes_single_bytes_to_both_streams_costs_no_memory(
    shared_lab: ReadyLab,
) -> None:
    script = "import os\nfor _ in range(60000): os.write(1, b'o'); os.write(2, b'e')"

    ran = shared_lab.run("python3", "-c", script)

    assert ran.exit.bytes_total == 120_000
    assert ran.stream("stdout").strip(b"o") == b""
    assert ran.stream("stderr").strip(b"e") == b""
    assert len(ran.output) + ran.exit.truncated_bytes == 120_000
    supervisor_kib = int(shared_lab.as_root("sh", "-c", "grep ^VmRSS /proc/1/status").split()[1])
    assert supervisor_kib < 24 * KIB
