"""Following a run: from anywhere, by several, across a broken line."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from labs.engine.base import Exit, Output, RunForgotten
from labs.engine.docker_engine import DockerEngine
from tests.engine_fixtures import Ran, ReadyLab, wait_until

pytestmark = pytest.mark.docker

COUNT = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo line $i; sleep 0.01; done"
COUNT_UNTIL_ENOUGH = COUNT.replace("$i -lt 200", "! -e /tmp/enough")
SILENCES = 3


def counted(lines: int) -> bytes:
    return b"".join(b"line %d\n" % n for n in range(1, lines + 1))


COUNTED = counted(200)


def is_contiguous(ran: Ran, start: int = 0) -> bool:
    ends = [start] + [piece.offset + len(piece.data) for piece in ran.pieces]
    return all(piece.offset == end for piece, end in zip(ran.pieces, ends, strict=False))


def test_output_arrives_while_the_command_runs(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", "echo early; sleep 60")

    with closing(shared_lab.link.follow_run(run_id)) as pieces:
        first = next(pieces)

    assert isinstance(first, Output)
    assert first.data == b"early\n"
    shared_lab.link.stop_run(run_id)


@pytest.mark.parametrize("offset", [0, 1, 1000, len(COUNTED) - 1, len(COUNTED)])
def test_a_finished_run_is_followed_from_any_offset(shared_lab: ReadyLab, offset: int) -> None:
    run_id = shared_lab.start("sh", "-c", COUNT.replace("sleep 0.01", ":"))
    shared_lab.follow(run_id)

    again = shared_lab.follow(run_id, offset)

    assert again.output == COUNTED[offset:]
    assert is_contiguous(again, offset)
    assert again.exit.bytes_total == len(COUNTED)


def test_a_live_run_is_followed_from_the_middle(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", COUNT)

    ran = shared_lab.follow(run_id, 500)

    assert ran.output == COUNTED[500:]
    assert is_contiguous(ran, 500)


def test_two_follow_the_same_run_at_once(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", COUNT)

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: shared_lab.follow(run_id), range(2)))

    assert [ran.output for ran in both] == [COUNTED, COUNTED]
    assert both[0].exit == both[1].exit


def test_several_workers_follow_over_lines_of_their_own(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", COUNT)
    installation = shared_lab.inspect()["Config"]["Labels"]["agent-lab.installation"]
    others = [
        ReadyLab(DockerEngine(installation), shared_lab.status, shared_lab.uid) for _ in range(3)
    ]

    with ThreadPoolExecutor(3) as pool:
        outputs = [ran.output for ran in pool.map(lambda other: other.follow(run_id), others)]

    assert outputs == [COUNTED] * 3


def test_a_line_that_breaks_again_and_again_loses_no_byte(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", COUNT_UNTIL_ENOUGH)
    pause = threading.Event()

    def cut_thrice() -> None:
        for _ in range(3):
            pause.wait(0.3)
            shared_lab.as_root("pkill", "-9", "-x", "nc")
        shared_lab.as_root("touch", "/tmp/enough")

    with ThreadPoolExecutor(1) as pool:
        cutting = pool.submit(cut_thrice)
        ran = shared_lab.follow(run_id)
        cutting.result()

    assert ran.output == counted(ran.exit.lines_total)
    assert is_contiguous(ran)
    assert ran.exit.exit_code == 0


def test_a_request_over_a_broken_line_is_asked_again(shared_lab: ReadyLab) -> None:
    shared_lab.run("true")
    shared_lab.as_root("pkill", "-9", "-x", "nc")

    assert shared_lab.run("echo", "back").output == b"back\n"


def test_a_run_goes_on_while_no_worker_is_there(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", "sleep 0.3; echo done")
    shared_lab.link.close()
    wait_until(lambda: shared_lab.link.list_runs()[run_id] == "over")

    assert shared_lab.follow(run_id).output == b"done\n"


def test_a_follower_hears_when_the_output_is_dropped_under_it(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("seq", "1000000", head_bytes=8_000_000)
    follower = shared_lab.link.follow_run(run_id)
    first = next(follower)
    wait_until(lambda: shared_lab.link.list_runs()[run_id] == "over")

    shared_lab.link.forget_run(run_id)

    assert isinstance(first, Output)
    with pytest.raises(RunForgotten):
        shared_lab.follow(run_id)
    follower.close()


def test_silence_is_told_again_and_again(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sleep", "60")

    with closing(shared_lab.link.follow_run(run_id)) as follower:
        assert [next(follower) for _ in range(SILENCES)] == [None] * SILENCES

    shared_lab.link.stop_run(run_id)


def test_a_follower_may_turn_away_and_the_run_goes_on(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", COUNT)
    with closing(shared_lab.link.follow_run(run_id)) as follower:
        next(follower)

    assert shared_lab.follow(run_id).output == COUNTED


def test_a_follower_that_reads_slowly_still_gets_head_and_tail(shared_lab: ReadyLab) -> None:
    run_id = shared_lab.start("sh", "-c", "seq 1000000")
    follower = shared_lab.link.follow_run(run_id)
    first = next(follower)
    wait_until(lambda: shared_lab.link.list_runs()[run_id] == "over")

    pieces = [piece for piece in follower if piece is not None]

    assert isinstance(first, Output)
    assert first.data.startswith(b"1\n2\n")
    assert isinstance(pieces[-2], Output)
    assert pieces[-2].data.endswith(b"999999\n1000000\n")
    assert isinstance(pieces[-1], Exit)
    assert pieces[-1].lines_total == 1_000_000
