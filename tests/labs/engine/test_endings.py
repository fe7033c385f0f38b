"""How runs end that don't end by themselves, and what they would leave behind."""

from __future__ import annotations

import time

import pytest

from tests.engine_fixtures import ReadyLab, wait_until

pytestmark = pytest.mark.docker

STUBBORN = "trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; sleep 100' & echo up; sleep 100"
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    parent = os.getpid()
    if os.fork() == 0:
        while os.getppid() == parent: time.sleep(0.01)
        open(f"/tmp/daemon{os.getpid()}", "x").close()
        time.sleep(60)
"""
FORK_ALL = """
import os, time
try:
    while os.fork(): pass
finally:
    time.sleep(60)
"""


def students_processes(lab: ReadyLab) -> list[str]:
    return lab.as_root("ps", "-U", str(lab.uid), "-o", "args=").splitlines()


def test_a_stopped_run_says_so(lab: ReadyLab) -> None:
    run_id = lab.start("sleep", "60")

    lab.link.stop_run(run_id)

    ended = lab.follow(run_id).exit
    assert (ended.reason, ended.exit_code, ended.signal) == ("stopped", 143, 15)
    assert ended.duration_s < 2


def test_a_command_may_tidy_up_when_it_is_stopped(lab: ReadyLab) -> None:
    run_id = lab.start("bash", "-c", "trap 'echo bye; exit 3' TERM; echo up; sleep 60 & wait")
    next(lab.link.follow_run(run_id))

    lab.link.stop_run(run_id)

    ran = lab.follow(run_id)
    assert ran.output == b"up\nbye\n"
    assert (ran.exit.reason, ran.exit.exit_code) == ("stopped", 3)


def stopping_s(lab: ReadyLab) -> float:
    """How long it takes until a tree is gone that ignores every word to end."""
    run_id = lab.start("bash", "-c", STUBBORN)
    next(lab.link.follow_run(run_id))
    stopped_at = time.monotonic()
    lab.link.stop_run(run_id)
    ended = lab.follow(run_id).exit
    took_s = time.monotonic() - stopped_at
    assert (ended.reason, ended.exit_code) == ("stopped", 137)
    assert students_processes(lab) == []
    return took_s


def test_a_tree_that_ignores_term_in_other_sessions_is_gone_within_two_seconds(
    lab: ReadyLab,
) -> None:
    assert stopping_s(lab) < 2


def test_stopping_twice_or_after_the_end_is_success(lab: ReadyLab) -> None:
    run_id = lab.start("sleep", "60")

    lab.link.stop_run(run_id)
    lab.link.stop_run(run_id)
    ended = lab.follow(run_id).exit
    lab.link.stop_run(run_id)

    assert lab.follow(run_id).exit == ended


def test_a_run_beyond_its_time_is_ended(lab: ReadyLab) -> None:
    ended = lab.run("sleep", "60", time_limit_s=0.3).exit

    assert (ended.reason, ended.exit_code) == ("timed_out", 143)
    assert 0.3 <= ended.duration_s < 1.3


def test_the_deadline_holds_while_every_worker_is_dead(lab: ReadyLab) -> None:
    run_id = lab.start("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", time_limit_s=0.3)
    lab.link.close()
    wait_until(lambda: students_processes(lab) == [])

    assert lab.follow(run_id).exit.reason == "timed_out"


def test_a_stopped_process_can_still_be_ended(lab: ReadyLab) -> None:
    ended = lab.run("sh", "-c", "kill -STOP $$", time_limit_s=0.3).exit

    assert (ended.reason, ended.signal) == ("timed_out", 9)


def test_a_run_ends_with_its_command_though_a_child_holds_its_output(lab: ReadyLab) -> None:
    ran = lab.sh("sleep 60 & echo started")

    assert ran.output == b"started\n"
    assert (ran.exit.reason, ran.exit.exit_code, ran.exit.leftovers) == ("exited", 0, 1)
    assert ran.exit.duration_s < 1
    assert students_processes(lab) == []


def test_a_child_that_ends_in_time_is_no_leftover_and_its_output_is_kept(lab: ReadyLab) -> None:
    ran = lab.sh("(while kill -0 $$ 2> /dev/null; do :; done; echo late) & echo early")

    assert ran.output == b"early\nlate\n"
    assert ran.exit.leftovers == 0


def test_daemons_in_sessions_of_their_own_are_found_and_counted(lab: ReadyLab) -> None:
    all_there = "until [ $(ls /tmp | grep -c daemon) = 3 ]; do sleep 0.05; done"

    ran = lab.sh(f"for n in 1 2 3; do python3 -c '{DAEMON}'; done; {all_there}")

    assert ran.exit.leftovers == 3
    assert students_processes(lab) == []


def test_a_leftover_that_hides_its_environment_is_ended_too(lab: ReadyLab) -> None:
    is_there = "until [ -e /tmp/there ]; do sleep 0.05; done"
    ran = lab.sh(f"env -i setsid sh -c 'sleep 60 & : > /tmp/there; wait' & {is_there}")

    assert ran.exit.leftovers == 2
    assert students_processes(lab) == []


def test_the_end_of_one_run_spares_another_that_goes_on(lab: ReadyLab) -> None:
    script = "(sleep 61 &); setsid sh -c 'sleep 62 & exec sleep 63' & exec sleep 60"
    other = lab.start("sh", "-c", script)
    wait_until(lambda: len(students_processes(lab)) == 4)

    ran = lab.sh("setsid sleep 64 & echo done")

    assert ran.exit.leftovers == 1
    assert sorted(students_processes(lab)) == ["sleep 60", "sleep 61", "sleep 62", "sleep 63"]
    lab.link.stop_run(other)
    lab.follow(other)
    assert students_processes(lab) == []


def test_a_student_who_kills_everything_ends_only_what_is_theirs(lab: ReadyLab) -> None:
    ran = lab.run("bash", "-c", "kill -9 -1; echo still here")

    assert ran.exit.reason == "exited"
    assert lab.run("echo", "alive").output == b"alive\n"
    assert lab.engine.find_lab(lab.status.lab_id) == lab.status


def test_a_full_process_table_loses_no_result(lab: ReadyLab) -> None:
    ran = lab.sh("i=0; while [ $i -lt 300 ]; do sleep 60 & i=$((i+1)); done 2>/dev/null; exit 7")

    assert ran.exit.reason == "exited"
    assert ran.exit.leftovers > 80
    assert lab.run("echo", "alive").output == b"alive\n"


def test_a_run_that_finds_no_room_for_a_process_says_so(lab: ReadyLab) -> None:
    hog = lab.start("python3", "-c", FORK_ALL)
    wait_until(lambda: len(students_processes(lab)) == 96)
    one_more = lab.start("sleep", "60")  # the kernel lets one through that changes its user
    wait_until(lambda: len(students_processes(lab)) == 97)

    refused = lab.run("echo", "hello").exit

    assert (refused.reason, refused.exit_code) == ("not_started", 126)
    assert refused.detail == "The lab has no room for another process."
    lab.link.stop_run(hog)
    assert lab.follow(hog).exit.reason == "stopped"
    lab.link.stop_run(one_more)
    assert lab.follow(one_more).exit.reason == "stopped"


def test_full_disks_lose_no_result(lab: ReadyLab) -> None:
    fill = "for d in . /tmp /dev/shm; do cat /dev/zero > $d/full; cat /dev/zero > $d/full2; done"

    ran = lab.sh(f"{fill} 2>/dev/null; echo full; exit 5", time_limit_s=60)

    assert ran.output == b"full\n"
    assert (ran.exit.exit_code, ran.exit.bytes_total) == (5, 5)
    assert lab.sh("rm -f full full2 /tmp/full* /dev/shm/full*; echo ok").output == b"ok\n"


def test_a_full_memory_loses_no_result(lab: ReadyLab) -> None:
    hog = 'held = []\nwhile True: held.append(b"x" * 1_000_000)'

    ran = lab.sh(f"echo before; python3 -c '{hog}'; echo after $?")

    assert ran.output.startswith(b"before\n")
    assert ran.output.endswith(b"after 137\n")
    assert ran.exit.oom_kills == 1
