"""What the supervisor answers to each word of the site."""

from __future__ import annotations

import os

from errands import Restore, Save
from lab import Refused
from processes import MARK, Order
from runs import Run, Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from connection import Connection
    from frames import Frame
    from lab import Lab
    from terminal_answers import TerminalAnswers

VERSION = 1
INPUT_BYTES = 256 * 1024
TERMINAL_WORDS = ("open", "look", "credit", "away", "keys", "size", "close", "terminals")
OWN_VARIABLES = (b"AGENT_LAB_UID",)
STUDENT = {b"HOME": b"/home/node", b"USER": b"node", b"LOGNAME": b"node", b"LANG": b"C.UTF-8"}


class Answers:
    """One method per word; each sends its answer, or raises Refused."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._env = {**STUDENT, **os.environb}
        self._env[b"HOME"] = STUDENT[b"HOME"]
        for name in OWN_VARIABLES:
            self._env.pop(name, None)
        self._words: dict[str, Callable[[Connection, Frame], None]] = {
            "hello": self._hello,
            "ping": self._ping,
            "start": self._start,
            "follow": self._follow,
            "leave": self._leave,
            "stop": self._stop,
            "input": self._input,
            "list": self._list,
            "usage": self._usage,
            "forget": self._forget,
            "save": self._save,
            "restore": self._restore,
            "data": self._data,
            "end": self._end,
        }
        self._restores: dict[tuple[Connection, int], Restore] = {}
        self._of_terminals: TerminalAnswers | None = None

    def _terminals(self) -> TerminalAnswers:
        """Only when one is asked for: most labs never load what terminals need."""
        if self._of_terminals is None:
            from terminal_answers import TerminalAnswers

            self._of_terminals = TerminalAnswers(self._lab, self._env)
            self._words.update(self._of_terminals.words)
        return self._of_terminals

    def answer(self, connection: Connection, frame: Frame) -> None:
        """Any failure is told to who asked, and touches nobody else."""
        try:
            if frame.word in TERMINAL_WORDS:
                self._terminals()
            if (method := self._words.get(frame.word)) is None:
                raise Refused("unknown_word", f"The supervisor doesn't know “{frame.word}”.")
            method(connection, frame)
        except Refused as refused:
            connection.send(frame.request, "error", code=refused.code, detail=refused)
        except Exception as error:  # noqa: BLE001  nobody may wait for an answer in vain
            connection.send(frame.request, "error", code="failed", detail=repr(error))

    def _hello(self, connection: Connection, frame: Frame) -> None:
        connection.send(frame.request, "hello", version=VERSION, uid=self._lab.uid)

    def _ping(self, connection: Connection, frame: Frame) -> None:
        connection.send(frame.request, "pong")

    def _start(self, connection: Connection, frame: Frame) -> None:
        run_id = frame.text(b"run")
        argv = frame.all(b"argv")
        if not run_id or not argv or not argv[0]:
            raise Refused("bad_request", "A run needs an id and a command.")
        env = dict(self._env)
        env.update(pair.partition(b"=")[::2] for pair in frame.all(b"env"))
        env[MARK[:-1]] = run_id.encode()
        order = Order(argv, env, frame.text(b"workdir").encode("utf-8", "surrogateescape"))
        terms = Terms(
            frame.number(b"time_limit_ms", 60_000) / 1000,
            frame.number(b"hard_cap_bytes", 64 * 1024 * 1024),
            bool(frame.number(b"has_input", 0)),
        )
        budgets = frame.number(b"head_bytes", 256 * 1024), frame.number(b"tail_bytes", 64 * 1024)
        make = self._terminals().typed(frame) if frame.all(b"terminal") else Run
        is_new = self._lab.start_run(run_id, order, terms, budgets, make)
        connection.send(frame.request, "started", is_new=int(is_new))

    def _follow(self, connection: Connection, frame: Frame) -> None:
        run = self._lab.find_run(frame.text(b"run"))
        connection.follow(frame.request, run, frame.number(b"offset", 0))

    def _leave(self, connection: Connection, frame: Frame) -> None:
        connection.leave(frame.number(b"follow", 0))

    def _stop(self, connection: Connection, frame: Frame) -> None:
        self._lab.find_run(frame.text(b"run")).stop("stopped")
        connection.send(frame.request, "stopping")

    def _input(self, connection: Connection, frame: Frame) -> None:
        run = self._lab.find_run(frame.text(b"run"))
        if run.input is None:
            raise Refused("no_input", "This run was started without an input.")
        if len(run.input) + len(frame.body) > INPUT_BYTES:
            raise Refused("input_full", "The command doesn't read its input.")
        run.input.write(frame.body)
        if frame.number(b"is_last", 0):
            run.input.end()
        connection.send(frame.request, "taken")

    def _list(self, connection: Connection, frame: Frame) -> None:
        lines = [f"{run_id} {state}" for run_id, state in self._lab.list_runs()]
        connection.send(frame.request, "runs", "\n".join(lines).encode())

    def _usage(self, connection: Connection, frame: Frame) -> None:
        """Loaded when it is first asked for, since it takes memory in every lab."""
        from usage import read_usage

        connection.send(frame.request, "usage", **read_usage())

    def _forget(self, connection: Connection, frame: Frame) -> None:
        self._lab.forget_run(frame.text(b"run"))
        connection.send(frame.request, "forgot")

    def _save(self, connection: Connection, frame: Frame) -> None:
        if self._restores:  # it would be some of the old files, and some of the new ones
            raise Refused("busy", "The lab's files are being replaced just now.")
        Save(self._lab, connection, frame.request).start()

    def _restore(self, connection: Connection, frame: Frame) -> None:
        for save in tuple(self._lab.saves):  # what it has open takes room after it is removed
            save.give_up()
        key = (connection, frame.request)
        restore = Restore(self._lab, connection, frame.request)
        restore.start(lambda: self._restores.pop(key, None))
        self._restores[key] = restore

    def _data(self, connection: Connection, frame: Frame) -> None:
        if (restore := self._restores.get((connection, frame.request))) is not None:
            restore.take(frame.body)

    def _end(self, connection: Connection, frame: Frame) -> None:
        if (restore := self._restores.get((connection, frame.request))) is not None:
            restore.end()
