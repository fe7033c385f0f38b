"""What a run is told about its output and its checks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.lessons.comparing import (
    MAX_LINES,
    check_run,
    compare_output,
    fits_line,
    show_spaces,
)
from course.lessons.model import Block, Check, Example, Span

words = st.text("ab ", max_size=6)
spans = st.lists(st.builds(Span, words, st.booleans()), max_size=5)


def example(*lines: str) -> Example:
    """An example of lines in which a ~ stands for a part that varies."""
    cut = (line.replace("~", "\0~\0").split("\0") for line in lines)
    return Example(tuple(tuple(Span(t, t == "~") for t in line if t) for line in cut), "")


def compared(wanted: Example, output: str) -> list[str]:
    """Each line with + where it is extra and - where it is missing."""
    signs = {"same": " ", "missing": "-", "extra": "+"}
    return [f"{signs[line.kind]}{line.text}" for line in compare_output(wanted, output).lines]


def test_an_output_that_varies_where_it_may_is_the_same() -> None:
    comparison = compare_output(example("took ~ s", "", "~", "done"), "took 0.3 s\n\n\ndone\n")

    assert comparison.is_same
    assert comparison.sentence == "Same as the example, apart from the marked parts."


def test_marked_parts_are_spoken_of_only_where_there_are_any() -> None:
    assert compare_output(example("done"), "done\n").sentence == "Same as the example."


def test_a_difference_shows_where_it_is() -> None:
    wanted = example("A1: done", "A2: done", "took ~ s", "end")

    assert compared(wanted, "A1: done\nA3: done\ntook 7 s\nend\nmore\n") == [
        " A1: done",
        "-A2: done",
        "+A3: done",
        " took 7 s",
        " end",
        "+more",
    ]


def test_a_difference_is_told_in_words() -> None:
    comparison = compare_output(example("a", "b"), "a\nc\nd")

    assert (
        comparison.sentence == "Differs from the example: 1 line of it missing, 2 lines not in it."
    )


@pytest.mark.parametrize("output", ["a ", " a", "a\t", "a\r", "A", "", "a\n\n", "a\nb"])
def test_a_space_more_is_a_difference(output: str) -> None:
    assert not compare_output(example("a"), output).is_same


def test_what_cannot_be_seen_can_be_shown() -> None:
    assert show_spaces("a b\t\r") == "a·b→␍"


@pytest.mark.parametrize(
    ("wanted", "line", "fits"),
    [
        ("~", "", True),
        ("a~a", "aa", True),
        ("a~a", "a", False),
        ("~a~a", "xaya", True),
        ("~b~", "aaa", False),
        ("a~b~c", "a-c-b-c", True),
        ("~ab", "abab", True),
        ("a", "aa", False),
        ("~a", "ab", False),
    ],
)
def test_a_part_that_varies_stands_for_any_text(wanted: str, line: str, fits: bool) -> None:
    assert fits_line(example(wanted).lines[0], line) == fits


@given(spans, st.lists(words, min_size=5, max_size=5))
@settings(deadline=None)
def test_a_line_fits_whatever_its_varying_parts_become(line: list[Span], others: list[str]) -> None:
    printed = "".join(
        other if span.varies else span.text for span, other in zip(line, others, strict=False)
    )

    assert fits_line(line, printed)


@given(st.lists(words, min_size=1, max_size=8))
@settings(deadline=None)
def test_an_output_is_the_same_as_itself(lines: list[str]) -> None:
    assert compare_output(example(*lines), "\n".join(lines) + "\n").is_same


@given(st.lists(words, min_size=1, max_size=8), st.lists(words, min_size=1, max_size=8))
@settings(deadline=None)
def test_a_comparison_leaves_no_line_of_the_output_out(wanted: list[str], found: list[str]) -> None:
    lines = compare_output(example(*wanted), "\n".join(found) + "\n").lines

    assert [line.text for line in lines if line.kind != "missing"] == found


def test_an_endless_output_is_compared_at_its_start_and_says_so() -> None:
    comparison = compare_output(example("a"), "a\nb\n" * 100_000)

    assert comparison.is_cut
    assert len(comparison.lines) == MAX_LINES


BLOCK = Block(
    id="b",
    title="B",
    command="x",
    exit_code=1,
    checks=(
        Check("prints", "prints Crash", text="Crash"),
        Check("never prints", "never prints done", text="done"),
        Check("file exists", "file a exists", path="a"),
        Check("file lines", "file a has 2 lines", path="a", count=2),
        Check("file says", "file a says A2", path="a", text="A2"),
    ),
)


def test_a_run_that_does_what_its_block_expects_gets_every_tick() -> None:
    ticks = check_run(BLOCK, 1, "Crash at A3\n", lambda _path: "A1\nA2\n")

    assert [tick.sentence for tick in ticks][:2] == ["ends with exit code 1", "prints Crash"]
    assert all(tick.holds for tick in ticks)


def test_a_run_that_does_nothing_of_it_gets_no_tick() -> None:
    assert not any(tick.holds for tick in check_run(BLOCK, None, "done\n", lambda _path: None))
    assert not any(tick.holds for tick in check_run(BLOCK, 0, "done\n", lambda _path: "A1")[4:])


def test_without_the_files_nobody_says_what_became_of_them() -> None:
    ticks = check_run(BLOCK, 1, "Crash at A3\n", None)

    assert [tick.holds for tick in ticks] == [True, True, True, None, None, None]


@pytest.mark.parametrize(
    ("content", "count"),
    [("", 0), ("A1", 1), ("A1\n", 1), ("A1\nA2", 2), ("\n\n", 2), ("a\u2028b\x0cc\n", 1)],
)
def test_lines_of_a_file_are_counted_as_an_editor_shows_them(content: str, count: int) -> None:
    check = Check("file lines", f"file a has {count} lines", path="a", count=count)
    ticks = check_run(Block("b", "B", "x", checks=(check,)), 0, "", lambda _path: content)

    assert ticks[1].holds
