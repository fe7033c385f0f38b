"""One run, from its start to its receipt."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from labs.engine.base import EngineError, RunForgotten, RunSpec, UnknownRun
from labs.engine.docker_engine import DockerEngine
from tests.engine_fixtures import PATIENCE_S, ReadyLab, wait_until

pytestmark = pytest.mark.docker


def supervisors_ticks(lab: ReadyLab) -> int:
    """Hundredths of a second of processor time that the supervisor has taken so far."""
    fields = lab.as_root("cat", "/proc/1/stat").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_a_command_that_succeeds(lab: ReadyLab) -> None:
    ran = lab.run("echo", "hello")

    assert ran.output == b"hello\n"
    assert (ran.exit.reason, ran.exit.exit_code, ran.exit.signal) == ("exited", 0, None)
    assert (ran.exit.bytes_total, ran.exit.lines_total, ran.exit.truncated_bytes) == (6, 1, 0)
    assert ran.exit.leftovers == 0
    assert ran.exit.detail == ""
    assert 0 < ran.exit.duration_s < PATIENCE_S


def test_a_command_that_fails_keeps_its_exit_code(lab: ReadyLab) -> None:
    ran = lab.sh("echo oops >&2; exit 42")

    assert (ran.exit.reason, ran.exit.exit_code) == ("exited", 42)
    assert ran.stream("stderr") == b"oops\n"
    assert ran.stream("stdout") == b""


def test_a_command_that_a_signal_ends_is_shown_as_a_shell_shows_it(lab: ReadyLab) -> None:
    ran = lab.sh("kill -SEGV $$")

    assert (ran.exit.reason, ran.exit.exit_code, ran.exit.signal) == ("signalled", 139, 11)


def test_an_unknown_command_is_told_in_a_sentence(lab: ReadyLab) -> None:
    ran = lab.run("noed", "batch1.js")

    assert (ran.exit.reason, ran.exit.exit_code) == ("not_started", 127)
    assert ran.exit.detail == "There is no command noed in this lab."


def test_a_file_that_may_not_be_executed_is_told_in_a_sentence(lab: ReadyLab) -> None:
    ran = lab.run("/etc/hostname")

    assert (ran.exit.reason, ran.exit.exit_code) == ("not_started", 126)
    assert ran.exit.detail == "/etc/hostname may not be executed."


def test_a_file_that_is_no_program_is_told_in_a_sentence(lab: ReadyLab) -> None:
    lab.sh("echo echo hello > script; chmod +x script")

    ran = lab.run("./script")

    assert (ran.exit.reason, ran.exit.exit_code) == ("not_started", 126)
    assert ran.exit.detail == "./script is not a program that this lab can run."


def test_a_missing_directory_is_told_in_a_sentence(lab: ReadyLab) -> None:
    ran = lab.run("true", workdir="/home/node/elsewhere")

    assert (ran.exit.reason, ran.exit.exit_code) == ("not_started", 126)
    assert ran.exit.detail == "There is no directory /home/node/elsewhere in this lab."


def test_a_link_to_a_closed_place_is_no_way_in(lab: ReadyLab) -> None:
    lab.sh("ln -s /run/agent-lab door")

    ran = lab.run("ls", workdir="/home/node/project/door")

    assert ran.exit.reason == "not_started"
    assert ran.exit.detail == "The directory /home/node/project/door may not be entered."


def test_a_command_starts_in_its_directory_with_its_variables(lab: ReadyLab) -> None:
    ran = lab.sh("pwd; echo $COLOUR", workdir="/tmp", env={"COLOUR": "green"})

    assert ran.output == b"/tmp\ngreen\n"


def test_a_command_finds_a_students_usual_surroundings(lab: ReadyLab) -> None:
    ran = lab.sh("pwd; whoami; id -un; id -gn; echo $HOME $USER; umask; ulimit -c; hostname")

    assert ran.output.decode().split("\n")[:-1] == [
        "/home/node/project",
        "node",
        "node",
        "node",
        "/home/node node",
        "0022",
        "0",
        "agent",
    ]


def test_arguments_arrive_byte_for_byte(lab: ReadyLab) -> None:
    hard = ["", " ", "a\nb", "$HOME", "*", "'\"\\", "žluťoučký 🐎", "\udcff\udcfe", "=", "a=b"]

    ran = lab.run("printf", "%s\\0", *hard)

    assert ran.output == b"".join(part.encode("utf-8", "surrogateescape") + b"\0" for part in hard)


def test_a_long_command_arrives_whole(lab: ReadyLab) -> None:
    script = "#" * 60_000 + "\necho long"

    assert lab.sh(script).output == b"long\n"


def test_output_of_any_bytes_arrives_unchanged(lab: ReadyLab) -> None:
    every_byte = bytes(range(256))
    escaped = "".join(f"\\{byte:03o}" for byte in every_byte)

    assert lab.run("printf", escaped).output == every_byte


def test_standard_input_is_empty(lab: ReadyLab) -> None:
    assert lab.run("cat").output == b""


def test_input_reaches_a_command_that_was_started_with_one(lab: ReadyLab) -> None:
    run_id = lab.start("cat", has_input=True)

    lab.link.send_input(run_id, b"first\n")
    lab.link.send_input(run_id, b"second\n", is_last=True)

    assert lab.follow(run_id).output == b"first\nsecond\n"


def test_a_command_that_closes_its_input_goes_on_and_keeps_nobody_busy(lab: ReadyLab) -> None:
    before = supervisors_ticks(lab)
    run_id = lab.start("sh", "-c", "exec < /dev/null; sleep 1; echo done", has_input=True)
    lab.link.send_input(run_id, b"too late\n")

    assert lab.follow(run_id).output == b"done\n"
    assert supervisors_ticks(lab) - before < 15


def test_input_for_a_command_without_one_is_refused(lab: ReadyLab) -> None:
    run_id = lab.start("sleep", "60")

    with pytest.raises(EngineError, match="without an input"):
        lab.link.send_input(run_id, b"hello")

    lab.link.stop_run(run_id)


def test_input_that_nobody_reads_is_refused_beyond_a_bound(lab: ReadyLab) -> None:
    run_id = lab.start("sleep", "60", has_input=True)

    def send_too_much() -> None:
        for _ in range(20):
            lab.link.send_input(run_id, b"x" * 64 * 1024)

    with pytest.raises(EngineError, match="doesn't read"):
        send_too_much()

    lab.link.stop_run(run_id)


def test_both_streams_are_told_apart_and_offsets_count_both(lab: ReadyLab) -> None:
    ran = lab.sh("echo one; sleep 0.5; echo two >&2; sleep 0.5; echo three")

    assert [(piece.stream, piece.data) for piece in ran.pieces] == [
        ("stdout", b"one\n"),
        ("stderr", b"two\n"),
        ("stdout", b"three\n"),
    ]
    assert [piece.offset for piece in ran.pieces] == [0, 4, 8]
    assert ran.pieces[0].at_s < ran.pieces[1].at_s < ran.pieces[2].at_s


def test_twenty_racing_starts_are_one_execution(lab: ReadyLab) -> None:
    spec = RunSpec(run_id=str(uuid.uuid4()), argv=["sh", "-c", "echo once >> ../project/count"])
    installation = lab.inspect()["Config"]["Labels"]["agent-lab.installation"]
    links = [DockerEngine(installation).link(lab.status.container_id) for _ in range(4)]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda n: links[n % 4].start_run(spec), range(20)))

    assert sorted(answers) == [False] * 19 + [True]
    assert lab.follow(spec.run_id).exit.exit_code == 0
    assert lab.run("cat", "count").output == b"once\n"


def test_a_known_id_starts_nothing_even_with_another_command(lab: ReadyLab) -> None:
    run_id = lab.start("echo", "first")
    lab.follow(run_id)

    assert not lab.link.start_run(RunSpec(run_id=run_id, argv=["echo", "second"]))
    assert lab.follow(run_id).output == b"first\n"


def test_every_run_of_the_labs_life_is_listed(lab: ReadyLab) -> None:
    over = lab.start("true")
    lab.follow(over)
    forgotten = lab.start("true")
    lab.follow(forgotten)
    lab.link.forget_run(forgotten)
    running = lab.start("sleep", "60")

    assert lab.link.list_runs() == {over: "over", forgotten: "over", running: "running"}

    lab.link.stop_run(running)


def test_a_forgotten_run_stays_known_and_is_never_started_again(lab: ReadyLab) -> None:
    run_id = lab.start("echo", "hello")
    lab.follow(run_id)

    lab.link.forget_run(run_id)
    lab.link.forget_run(run_id)

    assert not lab.link.start_run(RunSpec(run_id=run_id, argv=["echo", "again"]))
    with pytest.raises(RunForgotten):
        lab.follow(run_id)


def test_a_run_that_goes_on_cannot_be_forgotten(lab: ReadyLab) -> None:
    run_id = lab.start("sleep", "60")

    with pytest.raises(EngineError, match="not over"):
        lab.link.forget_run(run_id)

    lab.link.stop_run(run_id)
    assert lab.follow(run_id).exit.reason == "stopped"


def test_an_id_that_was_never_started_is_unknown(lab: ReadyLab) -> None:
    with pytest.raises(UnknownRun):
        lab.follow("never")
    with pytest.raises(UnknownRun):
        lab.link.stop_run("never")
    with pytest.raises(UnknownRun):
        lab.link.forget_run("never")


def test_output_that_nobody_fetched_makes_room_for_new_runs(lab: ReadyLab) -> None:
    first = lab.start("head", "-c", "3000000", "/dev/zero", tail_bytes=2_000_000)
    lab.follow(first)
    for _ in range(8):
        lab.run("head", "-c", "3000000", "/dev/zero", tail_bytes=2_000_000)

    with pytest.raises(RunForgotten):
        lab.follow(first)
    assert lab.run("echo", "still fine").output == b"still fine\n"


def test_the_memory_of_a_run_is_told(lab: ReadyLab) -> None:
    quiet = lab.run("true")
    hungry = lab.run("python3", "-c", "data = b'x' * 100_000_000")

    assert quiet.exit.memory_peak_bytes is not None
    assert hungry.exit.memory_peak_bytes is not None
    assert quiet.exit.memory_peak_bytes < 50_000_000 < hungry.exit.memory_peak_bytes
    assert hungry.exit.oom_kills == 0


def test_a_command_killed_for_want_of_memory_is_told(lab: ReadyLab) -> None:
    ran = lab.run("python3", "-c", "data = b'x' * 400_000_000")

    assert (ran.exit.reason, ran.exit.exit_code, ran.exit.signal) == ("signalled", 137, 9)
    assert ran.exit.oom_kills == 1
    assert lab.run("echo", "alive").output == b"alive\n"


def test_orphans_that_end_are_taken_off_the_process_table(lab: ReadyLab) -> None:
    run_id = lab.start("sh", "-c", "for i in $(seq 300); do (sh -c : &) ; done; echo; sleep 60")
    next(lab.link.follow_run(run_id))

    wait_until(lambda: "Z" not in lab.as_root("ps", "-U", str(lab.uid), "-o", "stat="))
    lab.link.stop_run(run_id)
