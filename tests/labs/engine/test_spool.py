"""The supervisor's spool against a plain list of everything that was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.labs.engine.test_frames import load

spool = load("spool")

pieces = st.lists(
    st.tuples(st.sampled_from([0, 1]), st.integers(0, 120), st.binary(min_size=1, max_size=40)),
    max_size=30,
)
budgets = st.tuples(st.integers(0, 60), st.integers(0, 60))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spools")


def fill(path: Path, head: int, tail: int, written: list[tuple[int, int, bytes]]) -> object:
    path.unlink(missing_ok=True)
    filled = spool.Spool(str(path), head, tail)
    at_ms = 0
    for stream, pause_ms, data in written:
        at_ms += pause_ms
        filled.append(stream, at_ms, data)
    return filled


def read_all(filled: object, offset: int, limit: int) -> Iterator[object]:
    while (piece := filled.read(offset, limit, True)) is not None:  # type: ignore[attr-defined]
        yield piece
        offset = piece.offset + len(piece.data)


@given(pieces, budgets, st.integers(1, 50))
def test_head_and_tail_are_what_was_written_first_and_last(
    directory: Path,
    written: list[tuple[int, int, bytes]],
    budgets: tuple[int, int],
    limit: int,
) -> None:
    everything = b"".join(data for _, _, data in written)
    head, tail = budgets
    tail_start = max(min(head, len(everything)), len(everything) - tail)
    filled = fill(directory / "spool", head, tail, written)

    read = list(read_all(filled, 0, limit))

    kept = {piece.offset + n: piece.data[n] for piece in read for n in range(len(piece.data))}
    assert kept == {n: byte for n, byte in enumerate(everything) if n < head or n >= tail_start}
    assert filled.total == len(everything)
    assert filled.truncated == tail_start - min(head, len(everything))
    filled.drop()


@given(pieces, st.integers(0, 400))
def test_reading_from_the_middle_is_the_end_of_reading_from_the_start(
    directory: Path, written: list[tuple[int, int, bytes]], offset: int
) -> None:
    filled = fill(directory / "middle", 100, 50, written)

    whole = b"".join(piece.data for piece in read_all(filled, 0, 7) if piece.offset >= offset)
    part = b"".join(piece.data for piece in read_all(filled, offset, 7))

    assert part.endswith(whole)
    filled.drop()


@given(pieces)
def test_every_byte_is_told_from_its_stream(
    directory: Path, written: list[tuple[int, int, bytes]]
) -> None:
    filled = fill(directory / "streams", 5000, 0, written)

    read = list(read_all(filled, 0, 1000))

    for stream in (0, 1):
        assert b"".join(p.data for p in read if p.stream == stream) == b"".join(
            data for which, _, data in written if which == stream
        )
    filled.drop()


@pytest.mark.parametrize(
    ("written", "lines"),
    [([], 0), ([b"a"], 1), ([b"a\n"], 1), ([b"a\n", b"b"], 2), ([b"\n\n"], 2), ([b"a", b"b"], 1)],
)
def test_lines_are_counted_with_an_unfinished_last_one(
    directory: Path, written: list[bytes], lines: int
) -> None:
    filled = fill(directory / "lines", 100, 0, [(0, 0, data) for data in written])

    assert filled.lines == lines


def test_the_tail_is_read_only_when_the_run_is_over(directory: Path) -> None:
    filled = fill(directory / "late", 2, 2, [(0, 0, b"abcdef")])

    assert filled.read(2, 100, False) is None
    assert filled.read(2, 100, True).data == b"ef"
    assert filled.read(2, 100, True).offset == 4


def test_a_closed_spool_can_still_be_read(directory: Path) -> None:
    filled = fill(directory / "closed", 10, 0, [(0, 0, b"hello")])
    filled.close()

    assert filled.read(0, 100, True).data == b"hello"


def test_a_dropped_spool_leaves_no_file(directory: Path) -> None:
    filled = fill(directory / "dropped", 10, 0, [(0, 0, b"hello")])

    filled.drop()

    assert not (directory / "dropped").exists()


def test_where_nothing_can_be_written_everything_is_counted(tmp_path: Path) -> None:
    filled = spool.Spool(str(tmp_path / "not" / "there"), 10, 10)

    filled.append(0, 0, b"hello\n")

    assert filled.read(0, 100, True) is None
    assert (filled.total, filled.lines, filled.truncated) == (6, 1, 6)


def test_a_writer_of_single_bytes_ends_the_head_early_and_keeps_the_tail(directory: Path) -> None:
    singles = [(n % 2, 0, b"ab"[n % 2 : n % 2 + 1]) for n in range(spool.HEAD_PIECES * 2)]
    filled = fill(directory / "singles", 10**6, 100, singles)

    read = b"".join(piece.data for piece in read_all(filled, 0, 1000))

    assert len(read) == spool.HEAD_PIECES + 100
    assert filled.truncated == len(singles) - len(read)
    assert read == b"ab" * (len(read) // 2)
