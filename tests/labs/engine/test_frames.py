"""The format that the site and the supervisor share, read and written on both sides."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.engine import frames

AGENT = Path(__file__).parents[3] / "sandbox_images" / "agent"


def load(name: str) -> ModuleType:
    """A module of the supervisor, as it lies in the image."""
    spec = importlib.util.spec_from_file_location(f"agent_{name}", AGENT / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


agent_frames = load("frames")

words = st.from_regex(r"[a-z]{1,10}", fullmatch=True)
values = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=50)
requests = st.integers(0, 2**32 - 1)
pairs = st.lists(st.tuples(words, values), max_size=5)


@given(requests, words, pairs, st.binary(max_size=200))
def test_the_supervisor_reads_what_the_site_writes(
    request: int, word: str, pairs: list[tuple[str, str]], body: bytes
) -> None:
    (frame,) = agent_frames.Decoder().feed(frames.encode(request, word, pairs, body))

    assert (frame.request, frame.word, frame.body) == (request, word, body)
    assert frame.fields == [(name.encode(), value.encode()) for name, value in pairs]


@given(requests, words, st.dictionaries(words, values, max_size=5), st.binary(max_size=200))
def test_the_site_reads_what_the_supervisor_writes(
    request: int, word: str, fields: dict[str, str], body: bytes
) -> None:
    (frame,) = frames.Decoder().feed(agent_frames.encode(request, word, body, fields))

    assert frame == frames.Frame(request, word, tuple(fields.items()), body)


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=5), st.integers(1, 7))
def test_frames_arrive_whole_however_they_are_cut(bodies: list[bytes], step: int) -> None:
    sent = b"".join(frames.encode(n, "data", [("a", "b")], body) for n, body in enumerate(bodies))
    decoder, agent_decoder = frames.Decoder(), agent_frames.Decoder()
    pieces = [sent[start : start + step] for start in range(0, len(sent), step)]

    arrived = [frame.body for piece in pieces for frame in decoder.feed(piece)]
    at_agent = [frame.body for piece in pieces for frame in agent_decoder.feed(piece)]

    assert arrived == at_agent == bodies


def test_bytes_that_are_no_text_pass_unchanged() -> None:
    (frame,) = agent_frames.Decoder().feed(frames.encode(1, "start", [("argv", "\udcff=\n")]))

    assert frame.all(b"argv") == [b"\xff=\n"]


def test_a_nul_is_refused_since_it_would_end_a_value() -> None:
    with pytest.raises(ValueError, match="NUL"):
        frames.encode(1, "start", [("argv", "a\0env=EVIL=1")])


def test_a_name_may_come_often_and_the_last_counts_alone() -> None:
    (frame,) = frames.Decoder().feed(frames.encode(1, "x", [("a", "1"), ("a", "2")]))

    assert frame.text("a") == "2"
    assert frame.number("a") == 2
    assert frame.text("b") == ""
    assert frame.number("b") is None


@pytest.mark.parametrize("noise", [b"\xff" * 12, b"\0\0\0\x10\0\0\0\1\0\0\xff\xff" + bytes(20)])
def test_noise_is_refused_on_both_sides(noise: bytes) -> None:
    with pytest.raises(frames.BadFrame):
        frames.Decoder().feed(noise)
    with pytest.raises(agent_frames.BadFrame):
        agent_frames.Decoder().feed(noise)
