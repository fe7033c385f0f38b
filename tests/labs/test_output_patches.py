"""A page that grows by patches is the page; pieces make no difference, whatever comes."""

import json
import re
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.output import Patch, Screen
from tests.labs.output_helpers import SMALL, read, screen_of, text_of

ANY_CLASS = re.compile(
    r"output-line|output-line output-(stderr|note)|output-(fold|control)|visually-hidden"
    r"|(ansi-(bold|dim|italic|underline|inverse|strike|[fb]g-([0-9]|1[0-5]))( |$))+"
)


def apply(page: list[str], patch: Patch | None) -> None:
    """What a browser does with a patch; None is never sent to it."""
    sent = json.loads(json.dumps(patch.as_dict() if patch else {"from": len(page), "lines": []}))
    if "fold" in sent:
        at, drop = sent["fold"]["at"], sent["fold"]["drop"]
        page[at : at + drop] = [sent["fold"]["html"]]
    page[sent["from"] :] = sent["lines"]


def test_a_patch_has_the_lines_that_changed_and_no_others():
    screen = screen_of("one\ntwo\n50 %")
    assert screen.patch().as_dict()["from"] == 0
    screen.feed(b"\r100 %\nthree\n", "stdout")
    assert screen.patch().as_dict() == {
        "from": 2,
        "lines": [
            '<span class="output-line">100 %\n</span>',
            '<span class="output-line">three\n</span>',
        ],
    }
    assert screen.patch() is None


def test_nothing_seen_to_change_is_no_patch():
    screen = screen_of("100 %")
    screen.patch()
    screen.feed(b"\r\x1b[31m", "stdout")
    screen.feed(b"\x1b[0m100", "stdout")
    assert screen.patch() is None


def test_a_full_page_scrolls_by_a_small_patch():
    screen = screen_of("".join(f"{number}\n" for number in range(2500)))
    screen.patch()
    screen.feed(b"next\n", "stdout")
    assert screen.patch().as_dict() == {
        "from": 2000,
        "lines": ['<span class="output-line">next\n</span>'],
        "fold": {
            "at": 1000,
            "drop": 2,
            "html": '<span class="output-line output-note">… 501 lines left out …\n</span>',
        },
    }


@pytest.mark.parametrize("later", ["", "x", "1\n", "1\n2\n", "1\n2\n3", "1\n2\n3\n4\n", "x\n" * 9])
@pytest.mark.parametrize("earlier", range(9))
@pytest.mark.parametrize("opened", ["", "open"])
def test_a_page_of_any_length_is_brought_up_to_date(earlier, opened, later):
    screen, page = screen_of("line\n" * earlier + opened, limits=SMALL), []
    apply(page, screen.patch())
    screen.feed(later.encode(), "stdout")
    apply(page, screen.patch())
    assert "".join(page) == screen.html()


# For every output there is.

PIECES = st.one_of(
    st.sampled_from(
        ["a", "bc ", "\n", "\n\n", "\r", "\r\n", "\b", "\t", "\x1b[K", "\x1b[1K", "\x1b[2K"]
    ),
    st.sampled_from(
        ["\x1b[31m", "\x1b[1;42m", "\x1b[0m", "\x1b[", "\x1b]0;t", "\x07", "\x1b", "\\"]
    ),
    st.sampled_from(
        ["\x9b31m", "\x9d", "\x9c", "\x85", "\x1b(", "漢", "字", "🙂", "e\u0301", "\u0301"]
    ),
    st.sampled_from(
        ["\u202e", "\u200b", "\0", "1\n2\n3\n4\n5\n", "<b>", "&amp;", '"', "x" * 9, "é" * 12]
    ),
    st.text(max_size=4),
).map(str.encode) | st.binary(max_size=3)
OUTPUTS = st.lists(
    st.tuples(st.sampled_from(["stdout", "stdout", "stdout", "stderr"]), PIECES)
    | st.tuples(st.just("gap"), st.binary(min_size=1, max_size=2)),
    max_size=25,
)
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def play(screen: Screen, output: list[tuple[str, bytes]]) -> None:
    for stream, data in output:
        if stream == "gap":
            screen.gap(len(data))
        else:
            screen.feed(data, stream)


def whole(output: list[tuple[str, bytes]]) -> Screen:
    screen = Screen(SMALL)
    play(screen, output)
    return screen


def cut(output: list[tuple[str, bytes]], sizes: list[int]) -> list[tuple[str, bytes]]:
    """The same bytes of the same streams, in pieces of these sizes; gaps stay whole."""
    pieces, size = [], cycle(sizes)
    for stream, data in output:
        rest = data
        while rest and stream != "gap":
            length = next(size)
            pieces.append((stream, rest[:length]))
            rest = rest[length:]
        pieces += [(stream, data)] * (stream == "gap")
    return pieces


@settings(max_examples=300, deadline=None)
@given(OUTPUTS, SIZES)
def test_output_looks_the_same_in_whatever_pieces_it_came(output, sizes):
    at_once, in_pieces = whole(output), whole(cut(output, sizes))
    assert in_pieces.html() == at_once.html()
    assert in_pieces.plain_text() == at_once.plain_text()


@settings(max_examples=200, deadline=None)
@given(st.lists(OUTPUTS, max_size=5), SIZES)
def test_patches_in_their_order_make_the_page(outputs, sizes):
    screen, page = Screen(SMALL), []
    for output in outputs:
        play(screen, cut(output, sizes))
        apply(page, screen.patch())
        assert "".join(page) == screen.html()


@settings(deadline=None)
@given(OUTPUTS, OUTPUTS)
def test_a_stream_goes_on_from_any_place_with_the_same_patch(before, after):
    straight, resumed = whole(before), whole(before)
    straight.patch()
    straight.html()
    resumed.patch()
    play(straight, after)
    play(resumed, cut(after, [1]))
    assert resumed.patch() == straight.patch()


@settings(max_examples=300)
@given(OUTPUTS)
def test_a_page_is_nothing_but_spans_of_known_classes_and_the_plain_text(output):
    screen = whole(output)
    reader = read(screen.html())
    assert all(ANY_CLASS.fullmatch(classes) for classes in reader.classes)
    assert reader.text in (screen.plain_text(), screen.plain_text() + "\n")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", screen.html())


@given(st.lists(st.text("abc äλж→█<&漢🙂 ", max_size=30)))
def test_plain_lines_come_through_unchanged(lines):
    output = "\n".join(lines)
    assert text_of(output) == output
