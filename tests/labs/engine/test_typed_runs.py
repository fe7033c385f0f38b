"""Runs whose line is typed into a terminal: executed once, with a receipt like any other's."""

from __future__ import annotations

import asyncio
import uuid

import pytest

from labs.engine.base import RunSpec
from tests.labs.engine.test_terminals import PROMPT, Shell, closed, in_lab, opened

pytestmark = pytest.mark.docker


class Typing:
    """A shell in a lab, into which runs are typed."""

    def __init__(self, lab, shell):
        self.lab = lab
        self.shell = shell
        self.terminal = shell.pairs[0][1]

    def start(self, script, line=None, **rest):
        """The id of a run of this script that is to be typed."""
        run_id = str(uuid.uuid4())
        spec = RunSpec(
            run_id=run_id,
            argv=["sh", "-c", script],
            terminal=self.terminal,
            line=f"docker exec agent sh -c '{script}'" if line is None else line,
            **rest,
        )
        assert self.lab.link.start_run(spec)
        assert not self.lab.link.start_run(spec)
        return run_id

    async def follow(self, run_id):
        return await asyncio.to_thread(self.lab.follow, run_id)

    async def run(self, script, **rest):
        return await self.follow(await asyncio.to_thread(lambda: self.start(script, **rest)))

    async def until(self, words):
        await self.shell.until_shown(words)

    @property
    def shown(self):
        return self.shell.shown


class Recorded(Shell):
    """The same terminal as a recorder looks at it, with the moments of its pieces."""

    def __init__(self, line, name):
        super().__init__(line, name)
        self.moments = []

    def take(self, frame):
        super().take(frame)
        if frame is not None and frame.word == "shown":
            self.moments.append((len(self.shown), frame.number("at_ms")))

    def moment(self, words):
        """Of the piece in which these are complete."""
        end = self.shown.index(words) + len(words)
        return next(at_ms for shown, at_ms in self.moments if shown >= end)


def typing(lab, work):
    """What `work` returns, which gets a fresh shell to type into."""

    async def with_shell(line):
        shell = await opened(line)
        result = await work(Typing(lab, shell))
        await closed(shell)
        return result

    return in_lab(lab, with_shell)


def test_its_line_stands_in_the_shell_and_its_output_there_and_in_the_receipt(shared_lab):
    async def work(one):
        ran = await one.run("echo to out; sleep 0.5; echo to err >&2; exit 7")
        await one.shell.run(b"echo code $?", b"code 7")
        return ran, one.shown

    ran, shown = typing(shared_lab, work)
    assert (ran.exit.reason, ran.exit.exit_code) == ("exited", 7)
    assert (ran.stream("stdout"), ran.stream("stderr")) == (b"to out\n", b"to err\n")
    assert b"docker exec agent sh -c 'echo to out; sleep 0.5;" in shown
    assert b"\rto out\r\nto err\r\n" in shown


def test_its_receipt_tells_the_moment_by_the_clock_of_the_recording(shared_lab):
    async def work(one):
        ran = await one.run("sleep 0.2; echo la''ter")
        await one.until(b"\rlater\r\n")
        recorder = Recorded(one.shell.line, one.terminal)
        recorder.look(pairs=[("pace_ms", 1)])
        await recorder.until_shown(b"\rlater\r\n")
        return ran.exit.typed_at_ms, recorder.moment(PROMPT), recorder.moment(b"\rlater")

    typed_at_ms, prompt_at_ms, output_at_ms = typing(shared_lab, work)
    assert prompt_at_ms <= typed_at_ms < output_at_ms


def test_asked_twice_it_is_typed_and_executed_once(shared_lab):
    async def work(one):
        await one.run("echo once >> typed-once")
        await one.shell.run(b"wc -l < typed-once", b"\r1\r\n")
        return one.shown

    assert typing(shared_lab, work).count(b"echo once >> typed-once'") == 1


def test_a_script_of_several_lines_and_signs_is_typed_as_it_stands(shared_lab):
    script = 'echo "one!two"\n\techo three'

    async def work(one):
        return await one.run(script)

    assert typing(shared_lab, work).output == b"one!two\nthree\n"


def test_what_stood_half_typed_in_the_line_gives_way(shared_lab):
    async def work(one):
        await one.shell.type(b"rm -rf /nowhere but half ty")
        await one.until(b"half ty")
        return await one.run("echo mine")

    assert typing(shared_lab, work).output == b"mine\n"


def test_a_terminal_with_a_program_in_front_gets_nothing_typed(shared_lab):
    async def work(one):
        await one.shell.run(b"echo be''gun; cat", b"begun")
        ran = await one.run("echo never >> never")
        await one.shell.type(b"\x03")
        return ran, one.shown

    ran, shown = typing(shared_lab, work)
    assert (ran.exit.reason, ran.exit.exit_code, ran.output) == ("not_typed", None, b"")
    assert "busy with another program" in ran.exit.detail
    assert b"never" not in shown
    assert shared_lab.sh("test -e never").exit.exit_code == 1


@pytest.mark.parametrize("line", ["echo no docker here", "docker ps"])
def test_a_line_that_asks_for_no_run_ends_it_in_words(shared_lab, line):
    async def work(one):
        ran = await one.run("echo never", line=line)
        await one.shell.run(b"echo still th''ere", b"still there")
        return ran

    ran = typing(shared_lab, work)
    assert ran.exit.reason == "not_typed"
    assert "did not run the line" in ran.exit.detail


def test_a_terminal_that_has_ended_gets_nothing_typed(shared_lab):
    async def work(one):
        await closed(one.shell)
        return await one.run("echo never")

    async def with_shell(line):
        return await work(Typing(shared_lab, await opened(line)))

    ran = in_lab(shared_lab, with_shell)
    assert (ran.exit.reason, ran.exit.exit_code) == ("not_typed", None)
    assert "has ended" in ran.exit.detail


def test_a_docker_line_typed_by_hand_is_no_run_and_disturbs_none(shared_lab):
    async def work(one):
        await one.shell.run(b"docker exec agent sh -c 'echo by ha''nd'", b"by hand")
        ran = await one.run("docker exec agent echo inside")
        await one.shell.run(b"docker exec agent sh -c 'echo by ha''nd too'", b"by hand too")
        return ran

    assert typing(shared_lab, work).output == b"inside\n"


def test_ctrl_c_means_to_it_what_it_means_to_any_command(shared_lab):
    async def work(one):
        run_id = await asyncio.to_thread(one.start, "echo be''gun; exec sleep 60")
        await one.until(b"\rbegun")
        await one.shell.type(b"\x03")
        ran = await one.follow(run_id)
        await one.shell.run(b"echo code $?", b"code 130")
        return ran

    ran = typing(shared_lab, work)
    assert (ran.exit.reason, ran.exit.signal, ran.exit.exit_code) == ("signalled", 2, 130)


def test_stop_ends_it_and_gives_the_shell_back(shared_lab):
    async def work(one):
        run_id = await asyncio.to_thread(one.start, "trap : INT TERM; echo be''gun; sleep 60")
        await one.until(b"\rbegun")
        await asyncio.to_thread(shared_lab.link.stop_run, run_id)
        ran = await one.follow(run_id)
        await one.shell.run(b"echo still th''ere", b"still there")
        return ran

    assert typing(shared_lab, work).exit.reason == "stopped"


def test_its_terminals_end_is_its_end_too(shared_lab):
    async def work(line):
        one = Typing(shared_lab, await opened(line))
        run_id = await asyncio.to_thread(one.start, "echo be''gun; exec sleep 4747")
        await one.until(b"\rbegun")
        await closed(one.shell)
        return await one.follow(run_id)

    assert in_lab(shared_lab, work).exit.reason == "terminal_gone"
    assert "sleep 4747" not in shared_lab.as_root("ps", "-eo", "args")


def test_a_killed_docker_of_its_line_ends_it_and_spares_the_shell(shared_lab):
    async def work(one):
        run_id = await asyncio.to_thread(one.start, "echo be''gun; exec sleep 4748")
        await one.until(b"\rbegun")
        await asyncio.to_thread(shared_lab.sh, "pkill -9 -x nc")
        ran = await one.follow(run_id)
        await one.shell.run(b"echo still th''ere", b"still there")
        return ran

    assert typing(shared_lab, work).exit.reason == "terminal_gone"


def test_a_time_limit_holds_and_a_command_that_is_none_says_so_in_the_shell(shared_lab):
    async def work(one):
        late = await one.run("sleep 60", time_limit_s=0.5)
        spec = RunSpec(
            run_id=str(uuid.uuid4()),
            argv=["nodee"],
            terminal=one.terminal,
            line="docker exec agent nodee",
        )
        await asyncio.to_thread(shared_lab.link.start_run, spec)
        none = await one.follow(spec.run_id)
        await one.until(b"There is no command nodee in this lab.\r\n")
        return late, none

    late, none = typing(shared_lab, work)
    assert (late.exit.reason, none.exit.exit_code) == ("timed_out", 127)


def test_a_flood_is_shown_no_faster_than_it_is_looked_at_and_kept_within_its_budget(shared_lab):
    async def work(one):
        ran = await one.run("seq 1 200000; echo la''st")
        await one.until(b"200000\r\nlast\r\n")
        return ran

    ran = typing(shared_lab, work)
    assert ran.exit.bytes_total == 1_288_900
    assert ran.exit.truncated_bytes == 961_220
    assert ran.output.endswith(b"199999\n200000\nlast\n")
