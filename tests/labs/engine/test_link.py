"""The link when the other end is silent, strange, or cut off: no call waits for ever."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue

import pytest

from labs.engine import frames
from labs.engine.base import EngineError, Exit, LabGone, Output, RunForgotten, RunSpec, UnknownRun
from labs.engine.frames import Frame
from labs.engine.supervisor_link import Link, Patience
from labs.engine.wire import Broken

IMPATIENT = Patience(answer_s=1, errand_s=1, open_s=0.05, tick_s=0.02, quiet_s=0.1, dead_s=1)
HELLO = {"hello": [("hello", [("version", 1)])]}
Lies = dict[str, str | int]
Script = dict[str, list[tuple[str, list[tuple[str, str | int]]]]]


class ScriptedStream:
    """A supervisor that answers each word as its script says, and cuts the line after `cut`."""

    def __init__(self, script: Script) -> None:
        self.asked: list[Frame] = []
        self._script = script
        self._decoder = frames.Decoder()
        self._answers: SimpleQueue[bytes] = SimpleQueue()

    def read(self) -> bytes:
        return self._answers.get()

    def write(self, data: bytes) -> None:
        for frame in self._decoder.feed(data):
            self.asked.append(frame)
            self._answer(frame)

    def _answer(self, frame: Frame) -> None:
        for word, pairs in self._script.get(frame.word, []):
            is_cut = word == "cut"
            self._answers.put(b"" if is_cut else frames.encode(frame.request, word, pairs))

    def close(self) -> None:
        self._answers.put(b"")


class SilentStream(ScriptedStream):
    """Takes everything and never says a word."""

    def __init__(self) -> None:
        super().__init__({})


class ClosedStream(ScriptedStream):
    """Can't be written to any more."""

    def write(self, data: bytes) -> None:
        raise BrokenPipeError


class NoisyStream(ScriptedStream):
    """Speaks something else."""

    def write(self, data: bytes) -> None:
        self._answers.put(b"\xff" * 100)


class BabblingStream(ScriptedStream):
    """Says its body with every answer but its greeting."""

    def __init__(self, script: Script, body: bytes) -> None:
        super().__init__(script)
        self._body = body

    def _answer(self, frame: Frame) -> None:
        body = b"" if frame.word == "hello" else self._body
        for word, pairs in self._script.get(frame.word, []):
            self._answers.put(frames.encode(frame.request, word, pairs, body))


class Opener:
    """Opens one stream after another, each made by the next of the makers; the last repeats."""

    def __init__(self, *makers: Callable[[], ScriptedStream]) -> None:
        self.streams: list[ScriptedStream] = []
        self._makers = list(makers)

    def __call__(self) -> ScriptedStream:
        maker = self._makers.pop(0) if len(self._makers) > 1 else self._makers[0]
        self.streams.append(maker())
        return self.streams[-1]

    @property
    def words(self) -> list[str]:
        return [frame.word for stream in self.streams for frame in stream.asked]


def gone() -> ScriptedStream:
    raise LabGone("no such container")


def scripted(
    **words: list[tuple[str, list[tuple[str, str | int]]]],
) -> Callable[[], ScriptedStream]:
    return lambda: ScriptedStream({**HELLO, **words})


SPEC = RunSpec(run_id="r", argv=["true"])
OUTPUT: tuple[str, list[tuple[str, str | int]]] = (
    "output",
    [("offset", 0), ("stream", "stdout"), ("at_ms", 5)],
)
EXIT: tuple[str, list[tuple[str, str | int]]] = ("exit", [("reason", "exited"), ("exit_code", 0)])


def test_a_silent_supervisor_is_given_up() -> None:
    link = Link(Opener(SilentStream), IMPATIENT)

    with pytest.raises(EngineError, match="did not answer in time"):
        link.start_run(SPEC)


def test_a_lab_that_is_gone_is_told_as_such() -> None:
    with pytest.raises(LabGone):
        Link(gone, IMPATIENT).list_runs()


def test_a_supervisor_of_another_version_is_not_asked_anything_more() -> None:
    opener = Opener(lambda: ScriptedStream({"hello": [("hello", [("version", 2)])]}))

    with pytest.raises(EngineError, match="another version"):
        Link(opener, IMPATIENT).start_run(SPEC)
    assert opener.words == ["hello"]


@pytest.mark.parametrize("stream", [ClosedStream, NoisyStream])
def test_a_line_that_never_works_is_given_up(stream: type[ScriptedStream]) -> None:
    with pytest.raises(Broken):
        Link(Opener(lambda: stream({})), IMPATIENT).list_runs()


def test_a_request_whose_line_is_cut_is_asked_once_more_over_a_new_one() -> None:
    opener = Opener(scripted(start=[("cut", [])]), scripted(start=[("started", [("is_new", 0)])]))

    assert not Link(opener, IMPATIENT).start_run(SPEC)
    assert opener.words == ["hello", "start", "hello", "start"]


def test_input_is_not_sent_twice() -> None:
    opener = Opener(scripted(input=[("cut", [])]))

    with pytest.raises(Broken):
        Link(opener, IMPATIENT).send_input("r", b"x")
    assert opener.words == ["hello", "input"]


def test_a_follower_goes_on_over_a_new_line_from_where_it_was() -> None:
    opener = Opener(scripted(follow=[OUTPUT, ("cut", [])]), scripted(follow=[EXIT]))

    pieces = [piece for piece in Link(opener, IMPATIENT).follow_run("r", 7) if piece is not None]

    assert [type(piece) for piece in pieces] == [Output, Exit]
    follows = [
        frame.number("offset")
        for stream in opener.streams
        for frame in stream.asked
        if frame.word == "follow"
    ]
    assert follows == [7, 0]


def test_a_follower_gives_up_a_line_that_only_ever_breaks() -> None:
    link = Link(Opener(scripted(follow=[("cut", [])])), IMPATIENT)

    with pytest.raises(Broken):
        list(link.follow_run("r"))


def test_a_follower_whose_lab_disappears_hears_so() -> None:
    link = Link(Opener(scripted(follow=[OUTPUT, ("cut", [])]), gone), IMPATIENT)

    with pytest.raises(LabGone):
        list(link.follow_run("r"))


def test_a_silent_follow_asks_for_a_sign_of_life_and_then_opens_a_new_line() -> None:
    opener = Opener(scripted(), scripted(follow=[EXIT]))

    pieces = list(Link(opener, IMPATIENT).follow_run("r"))

    assert isinstance(pieces[-1], Exit)
    assert set(pieces[:-1]) == {None}
    assert "ping" in [frame.word for frame in opener.streams[0].asked]


def test_a_follower_that_turns_away_says_so() -> None:
    opener = Opener(scripted(follow=[OUTPUT]))
    follower = Link(opener, IMPATIENT).follow_run("r")
    next(follower)

    follower.close()

    assert opener.words == ["hello", "follow", "leave"]


@pytest.mark.parametrize(
    ("code", "error"),
    [("unknown_run", UnknownRun), ("forgotten", RunForgotten), ("busy", EngineError)],
)
def test_the_supervisors_errors_have_names(code: str, error: type[EngineError]) -> None:
    link = Link(Opener(scripted(stop=[("error", [("code", code), ("detail", "why")])])), IMPATIENT)

    with pytest.raises(error, match="why"):
        link.stop_run("r")


def test_saving_and_restoring_do_not_wait_for_ever() -> None:
    link = Link(Opener(scripted()), IMPATIENT)

    with pytest.raises(EngineError, match="did not save"):
        link.save_workspace()
    with pytest.raises(EngineError, match="did not restore"):
        link.restore_workspace(b"")


def test_a_save_that_failed_in_the_lab_is_an_error() -> None:
    link = Link(Opener(scripted(save=[("data", []), ("saved", [("status", -9)])])), IMPATIENT)

    with pytest.raises(EngineError, match="could not save"):
        link.save_workspace()


def test_a_command_with_a_nul_is_refused_before_it_is_sent() -> None:
    opener = Opener(scripted())

    with pytest.raises(ValueError, match="NUL"):
        Link(opener, IMPATIENT).start_run(RunSpec(run_id="r", argv=["a\0b"]))
    assert opener.words == ["hello"]


@pytest.mark.parametrize(
    ("word", "lies"),
    [
        ("exit", {"exit_code": "many"}),
        ("exit", {"exit_code": 10**30}),
        ("exit", {"bytes_total": -1}),
        ("exit", {"leftovers": 2**31}),
        ("output", {"offset": "9" * 5000}),
        ("output", {"offset": -5}),
        ("output", {"stream": "somebody else's"}),
        ("usage", {}),
    ],
)
def test_a_supervisor_that_lies_about_a_run_is_an_error_and_no_row(word: str, lies: Lies) -> None:
    told = {"offset": 0, "stream": "stdout", "reason": "exited", "exit_code": 0} | lies
    link = Link(Opener(scripted(follow=[(word, list(told.items()))])), IMPATIENT)

    with pytest.raises(EngineError):
        list(link.carry_run("r"))


def test_what_a_supervisor_says_in_words_is_short_and_text() -> None:
    said = ("exit", [("reason", "x" * 5000), ("detail", "\udcff" + "y" * 10_000)])
    link = Link(Opener(scripted(follow=[said])), IMPATIENT)

    [[end]] = list(link.carry_run("r"))

    assert isinstance(end, Exit)
    assert (len(end.reason), len(end.detail), end.detail[:2]) == (40, 2000, "\ufffdy")


@pytest.mark.parametrize("version", ["one", "9" * 5000, "-1"])
def test_a_greeting_that_makes_no_sense_is_an_error(version: str) -> None:
    opener = Opener(lambda: ScriptedStream({"hello": [("hello", [("version", version)])]}))

    with pytest.raises(EngineError):
        Link(opener, IMPATIENT).open()


def test_a_lab_tells_no_measure_that_no_row_can_hold() -> None:
    told: list[tuple[str, str | int]] = [
        ("memory_bytes", "9" * 4000),
        ("pids", "\u0663"),
        ("cpu_us", 7),
    ]
    usage = Link(Opener(scripted(usage=[("usage", told)])), IMPATIENT).usage()

    assert (usage.memory_bytes, usage.pids, usage.cpu_us) == (None, None, 7)


def test_a_list_of_runs_of_any_bytes_is_read() -> None:
    script: Script = {**HELLO, "list": [("runs", [])]}
    opener = Opener(lambda: BabblingStream(script, b"\xff\na over b\n"))

    assert dict(Link(opener, IMPATIENT).list_runs()) == {"\ufffd": "", "a": "over b"}


def test_output_without_end_is_not_believed() -> None:
    flood: Script = {**HELLO, "follow": [OUTPUT] * 20 + [EXIT]}
    link = Link(Opener(lambda: BabblingStream(flood, bytes(2**20))), IMPATIENT)

    with pytest.raises(EngineError, match="more than it can have kept"):
        list(link.carry_run("r"))
