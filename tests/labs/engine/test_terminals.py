"""Terminals as the supervisor keeps them, over the line that the gateway uses."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import asynccontextmanager

import pytest

from labs.engine.base import EngineError
from labs.engine.terminal_line import TerminalLine
from tests.engine_fixtures import PATIENCE_S, wait_until

pytestmark = pytest.mark.docker

PROMPT = b"$ "


class Shell:
    """A terminal that is looked at."""

    def __init__(self, line, name):
        self.line = line
        self.pairs = (("terminal", name),)
        self.shown = b""
        self.offset = 0
        self.over = ""
        self.words = []
        self.came = asyncio.Event()

    def look(self, offset=0, credit=10_000_000, pairs=()):
        pairs = (*self.pairs, ("offset", offset), ("credit", credit), *pairs)
        self.number = self.line.begin("look", pairs, on_frame=self.take)

    def take(self, frame):
        if frame is None:
            self.over = self.over or "cut"
            self.came.set()
            return
        self.words.append(frame.word)
        if frame.word == "skipped":
            self.shown += frame.body
        if frame.word == "shown":
            self.shown += frame.body
            self.offset = frame.number("offset") + len(frame.body)
        if frame.word == "over":
            self.over = frame.text("reason")
        self.came.set()

    def give(self, credit):
        self.line.send(0, "credit", [("look", self.number), ("bytes", credit)])

    async def type(self, keys):
        await self.line.ask("keys", self.pairs, keys)

    async def until(self, condition):
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self.came.clear()
                await self.came.wait()

    async def until_shown(self, words):
        await self.until(lambda: words in self.shown)

    async def run(self, command, words):
        await self.type(command + b"\r")
        await self.until_shown(words)


@asynccontextmanager
async def line_to(lab):
    line = TerminalLine(lab.engine.open_line(lab.status.container_id))
    await line.greet()
    try:
        yield line
    finally:
        line.close()


async def opened(line, name="", **pairs):
    shell = Shell(line, name or uuid.uuid4().hex)
    await line.ask("open", (*shell.pairs, *pairs.items()))
    shell.look()
    await shell.until_shown(PROMPT)
    return shell


async def closed(shell):
    await shell.line.ask("close", shell.pairs)
    await shell.until(lambda: shell.over)
    return shell.over


def in_lab(lab, work):
    async def with_line():
        async with line_to(lab) as line:
            return await work(line)

    return asyncio.run(with_line())


def processes(lab):
    return lab.as_root("ps", "-eo", "args")


def test_it_is_the_students_login_shell_on_a_terminal_in_the_project(shared_lab):
    async def work(line):
        shell = await opened(line, cols=101, rows=31)
        await shell.run(b"pwd; whoami; tty; stty size; shopt login_shell", b"\ton")
        await closed(shell)
        return shell.shown.decode()

    shown = in_lab(shared_lab, work)
    assert "/home/node/project\r\nnode\r\n/dev/pts/0\r\n31 101\r\nlogin_shell" in shown


def test_the_same_shell_is_there_for_whoever_comes_back(shared_lab):
    async def first(line):
        shell = await opened(line, "kept")
        await shell.run(b"mine=4711; echo be''fore", b"before")

    async def second(line):
        shell = Shell(line, "kept")
        again = await line.ask("open", shell.pairs)
        shell.look()
        await shell.until_shown(b"before")
        await shell.run(b"echo $mine", b"4711\r\n")
        await closed(shell)
        return again.number("is_new")

    in_lab(shared_lab, first)
    assert in_lab(shared_lab, second) == 0


def test_two_who_look_see_the_same_and_one_who_knows_some_gets_the_rest(shared_lab):
    async def work(line):
        shell = await opened(line)
        await shell.run(b"echo on''e", b"one")
        late = Shell(line, shell.pairs[0][1])
        late.look(offset=shell.offset)
        await shell.run(b"echo tw''o", b"two")
        await late.until_shown(b"two")
        await closed(shell)
        return late.shown

    assert b"one" not in in_lab(shared_lab, work)


def test_a_new_size_reaches_the_program(shared_lab):
    async def work(line):
        shell = await opened(line)
        await line.ask("size", (*shell.pairs, ("cols", 132), ("rows", 43)))
        await shell.run(b"stty size", b"43 132")
        await closed(shell)

    in_lab(shared_lab, work)


def test_there_are_two_at_most(shared_lab):
    async def work(line):
        shells = [await opened(line), await opened(line)]
        with pytest.raises(EngineError, match="2 terminals open already"):
            await opened(line)
        for shell in shells:
            await closed(shell)

    in_lab(shared_lab, work)


def test_its_end_ends_all_that_was_started_in_it_and_nothing_else(shared_lab):
    run_id = shared_lab.start("sleep", "4242")

    async def work(line):
        shell = await opened(line)
        await shell.run(b"sleep 4711 & setsid nohup sleep 4712 & echo go''ne", b"gone")
        return await closed(shell)

    assert in_lab(shared_lab, work) == "closed"
    left = processes(shared_lab)
    shared_lab.link.stop_run(run_id)
    shared_lab.follow(run_id)
    assert ("sleep 4242" in left, "sleep 471" in left) == (True, False)


def test_a_run_ends_without_touching_a_terminal(shared_lab):
    async def work(line):
        shell = await opened(line)
        await shell.run(b"sleep 4711 & echo st''arted", b"started")
        assert (await asyncio.to_thread(shared_lab.sh, "sleep 60 & exit 3")).exit.exit_code == 3
        await shell.run(b"jobs", b"Running")
        await closed(shell)

    in_lab(shared_lab, work)


def test_a_shell_that_ends_by_itself_says_so(shared_lab):
    async def work(line):
        shell = await opened(line)
        await shell.type(b"exit 3\r")
        await shell.until(lambda: shell.over)
        return shell.over

    assert in_lab(shared_lab, work) == "exited"


def test_a_shell_that_nobody_looks_at_ends_after_a_while(shared_lab):
    async def work(line):
        await opened(line, linger_ms=2000)

    in_lab(shared_lab, work)
    wait_until(lambda: "/bin/bash" not in processes(shared_lab))


def test_a_line_that_is_closed_leaves_nobody_behind(shared_lab):
    async def work(line):
        await closed(await opened(line))

    in_lab(shared_lab, work)
    wait_until(lambda: "agent-lab/direct" not in processes(shared_lab))


def test_a_flood_is_held_back_until_somebody_takes_it(shared_lab):
    async def work(line):
        shell = await opened(line)
        flooded = Shell(line, shell.pairs[0][1])
        line.send(0, "away", [("look", shell.number)])
        flooded.look(offset=shell.offset, credit=50_000)
        await flooded.type(b"yes\r")
        await flooded.until(lambda: len(flooded.shown) >= 50_000)
        held = len(flooded.shown)
        await line.ask("terminals")
        assert len(flooded.shown) == held
        flooded.give(50_000)
        await flooded.until(lambda: len(flooded.shown) >= 100_000)
        await flooded.type(b"\x03")
        flooded.give(10_000_000)
        await flooded.until_shown(b"^C")
        return await closed(flooded)

    assert in_lab(shared_lab, work) == "closed"


def test_what_fell_out_of_the_ring_leaves_its_screen_behind(shared_lab):
    async def work(line):
        shell = await opened(line)
        await shell.run(b"printf '\\e[?1049h\\e[?25l'; seq 1 120000; echo do''ne", b"done")
        late = Shell(line, shell.pairs[0][1])
        late.look()
        await late.until_shown(b"done")
        await closed(shell)
        return late

    late = in_lab(shared_lab, work)
    assert "skipped" in late.words
    assert late.shown.startswith(b"\x1bc\x1b[?25l\x1b[?1049h")


def test_a_long_paste_arrives_whole(shared_lab):
    line_of_paste = b"0123456789 abcdefghij\r"

    async def work(line):
        shell = await opened(line)
        await shell.run(b"stty -echo; echo rea''dy; cat > pasted; echo re''ad", b"ready")
        for _ in range(40):
            await shell.type(line_of_paste * 200)
        await shell.type(b"\x04")
        await shell.until_shown(b"read")
        await closed(shell)

    in_lab(shared_lab, work)
    assert shared_lab.sh("sort -u pasted; wc -c < pasted").output == (
        b"0123456789 abcdefghij\n176000\n"
    )


LESSON_LINES = {
    b"docker exec -w /tmp agent pwd": b"\r/tmp\r\n",
    b"docker exec -it -e A=1 agent sh -c 'echo A is $A'": b"A is 1\r\n",
    b"docker exec --workdir=/home/node/project --env B=2 -u node agent printenv B": b"\r2\r\n",
    b"docker exec agent sh -c 'exit 7'; echo code $?": b"code 7\r\n",
    b"docker exec -d agent true": b"in the background",
    b"docker exec other true": b"This lab is called agent",
    b"docker exec -u root agent true": b"you are always node",
    b"docker run -it node": b"starts a new container",
    b"docker pull node": b"run this at home",
}


def test_lessons_docker_lines_work_as_they_stand_and_others_say_why_not(shared_lab):
    async def work(line):
        shell = await opened(line)
        for command, words in LESSON_LINES.items():
            await shell.run(command, words)
        await closed(shell)

    in_lab(shared_lab, work)
