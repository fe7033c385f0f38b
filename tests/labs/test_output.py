"""Output on a page: what a terminal would show, line by line, and no other power of bytes."""

import json
import re
import time
import tracemalloc
from html.parser import HTMLParser
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.output import PAGE, WHOLE, Limits, Patch, Screen

SMALL = Limits(head_lines=3, tail_lines=2, line_columns=10)
ANY_CLASS = re.compile(
    r"output-line|output-line output-(stderr|note)|output-(fold|control)|visually-hidden"
    r"|(ansi-(bold|dim|italic|underline|inverse|strike|[fb]g-([0-9]|1[0-5]))( |$))+"
)


def screen_of(*outputs: str | bytes, limits: Limits = PAGE) -> Screen:
    screen = Screen(limits)
    for output in outputs:
        screen.feed(output.encode() if isinstance(output, str) else output, "stdout")
    return screen


def text_of(*outputs: str | bytes) -> str:
    return screen_of(*outputs).plain_text()


def html_of(*outputs: str | bytes) -> str:
    """The HTML of an output of one line, without the line's own element."""
    return (
        screen_of(*outputs).html().removeprefix('<span class="output-line">')[: -len("\n</span>")]
    )


class Reader(HTMLParser):
    """Takes HTML apart: its classes, and its text without what only a screen reader says."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.classes: list[str] = []
        self.text = ""
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert (tag, [name for name, _ in attrs]) == ("span", ["class"])
        self._open.append(str(attrs[0][1]))
        self.classes.append(self._open[-1])

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if "visually-hidden" not in self._open:
            self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


# Text.


def test_lines_are_shown_as_they_are():
    screen = screen_of("A1: done\n\nA2: done\n")
    assert screen.plain_text() == "A1: done\n\nA2: done\n"
    assert screen.html() == (
        '<span class="output-line">A1: done\n</span>'
        '<span class="output-line">\n</span>'
        '<span class="output-line">A2: done\n</span>'
    )


def test_a_last_line_without_an_end_is_shown_too():
    assert text_of("A1: done\nA2") == "A1: done\nA2"


def test_no_output_is_an_empty_page():
    assert Screen().html() == ""
    assert Screen().plain_text() == ""
    assert Screen().patch() is None


def test_markup_is_text():
    output = """<script>alert(1)</script> <p hx-get="/x" style='y'>&amp;"""
    assert read(html_of(output)).text == output
    assert html_of(output).startswith("&lt;script&gt;alert(1)&lt;/script&gt; &lt;p hx-get=")


def test_bytes_that_are_not_utf_8_are_replaced():
    assert text_of(b"a\xff\xc3(\xf0\x9f\x99\n") == "a��(�\n"


def test_a_character_may_come_in_pieces():
    assert text_of(b"a\xf0", b"\x9f", b"\x99", b"\x82b") == "a🙂b"


def test_a_character_that_never_ends_is_replaced_when_nothing_more_comes():
    screen = screen_of(b"a\xf0\x9f")
    assert screen.plain_text() == "a"
    screen.finish()
    assert screen.plain_text() == "a�"


# Colours.


@pytest.mark.parametrize(
    ("sequence", "classes"),
    [
        ("31", "ansi-fg-1"),
        ("97", "ansi-fg-15"),
        ("44", "ansi-bg-4"),
        ("100", "ansi-bg-8"),
        ("1;31;44", "ansi-bold ansi-fg-1 ansi-bg-4"),
        ("2;3;4;9", "ansi-dim ansi-italic ansi-underline ansi-strike"),
        ("7", "ansi-inverse"),
        ("31;44;7", "ansi-inverse ansi-fg-4 ansi-bg-1"),
        ("38;5;9", "ansi-fg-9"),
        ("38;5;196", "ansi-fg-9"),
        ("38;5;232", "ansi-fg-0"),
        ("48;5;255", "ansi-bg-7"),
        ("38;2;250;10;10", "ansi-fg-9"),
        ("38:2::250:10:10", "ansi-fg-9"),
        ("38:2:250:10:10", "ansi-fg-9"),
        ("38:5:2", "ansi-fg-2"),
        ("38;5;2;1", "ansi-bold ansi-fg-2"),
        ("4:3", "ansi-underline"),
        ("31;99;999;1", "ansi-bold ansi-fg-1"),
        ("31;5;8", "ansi-fg-1"),
    ],
)
def test_a_colour_is_one_of_a_fixed_list_of_classes(sequence, classes):
    assert html_of(f"\x1b[{sequence}mx\x1b[0my") == f'<span class="{classes}">x</span>y'


@pytest.mark.parametrize(
    "sequence",
    ["0", "1;0", "1;22", "2;22", "3;23", "4;24", "4;4:0", "7;27", "9;29", "31;39", "41;49", "31;"],
)
def test_a_look_that_was_ended_is_plain(sequence):
    assert html_of(f"\x1b[{sequence}mx") == "x"


@pytest.mark.parametrize(
    "sequence",
    [
        "38",
        "38;5",
        "38;9",
        "38;5;256",
        "38;2;1;2",
        "38;2;300;0;0",
        "48:2:1",
        ">4;1",
        "?31",
        "8",
        "5",
    ],
)
def test_what_names_no_look_changes_none(sequence):
    assert html_of(f"\x1b[{sequence}mx") == "x"


def test_a_colour_lasts_over_lines_until_it_is_ended():
    assert screen_of("\x1b[31ma\nb\x1b[mc").html() == (
        '<span class="output-line"><span class="ansi-fg-1">a</span>\n</span>'
        '<span class="output-line"><span class="ansi-fg-1">b</span>c\n</span>'
    )


def test_a_line_of_a_thousand_colours_ends_plain():
    rainbow = "".join(f"\x1b[{31 + at % 2}mx" for at in range(1000))
    reader = read(html_of(rainbow))
    assert len(reader.classes) == 500
    assert reader.text == "x" * 1000


# Everything else that begins with an escape is dropped.


@pytest.mark.parametrize(
    "inert",
    [
        "\x1b[2J",
        "\x1b[H",
        "\x1b[3A",
        "\x1b[10;10f",
        "\x1b[?25l",
        "\x1b[?1049h",
        "\x1b[6n",
        "\x1b[ q",
        "\x1b[31",
        "\x1b[31;\x18",
        "\x1bc",
        "\x1b(B",
        "\x1b#8",
        "\x1b",
        "\x1b]0;title\x07",
        "\x1b]0;title\x1b\\",
        "\x1b]52;c;ZXZpbA==\x07",
        "\x1b]8;;javascript:alert(1)\x1b\\",
        "\x1bPq#0;2;0;0;0\x1b\\",
        "\x1b_private\x1b\\",
        "\x1b^message\x1b\\",
        "\x1bXstring\x1b\\",
        "\x9b31m\x9bm",
        "\x9d0;title\x9c",
        "\x90q\x9c",
        "\x85\x84\x9c",
    ],
)
def test_an_escape_that_is_no_colour_does_nothing(inert):
    assert html_of(f"a{inert}\x1b[0mb".replace("\x18\x1b[0m", "\x1b[0m")) == "ab"


def test_a_title_that_is_never_closed_ends_with_its_line():
    assert text_of("\x1b]0;title\nA1: done\n") == "\nA1: done\n"


def test_a_title_that_is_never_closed_swallows_no_more_than_4096_characters():
    assert text_of("\x1b]0;" + "t" * 5000) == "t" * (len("0;") + 5000 - 4096)


def test_an_escape_in_an_escape_begins_anew():
    assert html_of("\x1b[3\x1b[31mx") == '<span class="ansi-fg-1">x</span>'
    assert html_of("\x1b]0;t\x1b[31mx") == '<span class="ansi-fg-1">x</span>'


# The cursor moves within its line.


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("10 %\r20 %", "20 %"),
        ("100 %\r20", "200 %"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("ab\bc", "ac"),
        ("a\b\b\bc", "c"),
        ("a\tb\n12345678\tc", "a       b\n12345678        c"),
        ("abc\r\td", "abc     d"),
        ("0123456789\r\tx", "01234567x9"),
        ("100 %\r\x1b[K5 %", "5 %"),
        ("abcdef\b\b\x1b[0Kx", "abcdx"),
        ("abcdef\r\x1b[2Kx", "x"),
        ("abcdef\b\b\x1b[1Kx", "    xf"),
        ("abc\x1b[2Kx", "   x"),
        ("abc\x1b[9Kd", "abcd"),
        ("abc\x1b[2Dx", "abcx"),
    ],
)
def test_the_cursor_goes_back_and_over_as_on_a_terminal(output, text):
    assert text_of(output) == text


def test_each_character_keeps_its_own_colour_when_written_over():
    assert html_of("\x1b[31mabc\r\x1b[32mx") == (
        '<span class="ansi-fg-2">x</span><span class="ansi-fg-1">bc</span>'
    )


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("漢字\rab", "ab字"),
        ("漢字\ra", "a 字"),
        ("漢字\b\bx", "漢x "),
        ("漢字\bx", "漢 x"),
        ("a漢\r漢", "漢 "),
        ("漢\tx", "漢      x"),
        ("e\u0301x\ray", "ay"),
        ("漢\u0301x", "漢\u0301x"),
        ("\u0301x", "◌\u0301x"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("❤\ufe0f", "❤\ufe0f"),
    ],
)
def test_wide_characters_take_two_columns_and_accents_none(output, text):
    assert text_of(output) == text


def test_a_letter_carries_no_more_than_eight_accents():
    assert text_of("e" + "\u0301" * 1000 + "x") == "e" + "\u0301" * 8 + "x"


# What can't be seen is shown.


def test_control_characters_are_shown_as_symbols():
    assert text_of("a\0b\x07\x0b\x0c\x1a\x7f") == "a␀b␇␋␌␚␡"


@pytest.mark.parametrize("code", [0x202E, 0x2066, 0x200F, 0x061C, 0x200B, 0xFEFF, 0x2028, 0xE0041])
def test_what_reorders_or_hides_text_is_shown_by_number(code):
    name = f"⟨U+{code:04X}⟩"
    assert html_of(f"a{chr(code)}b") == f'a<span class="output-control">{name}</span>b'
    assert text_of(f"a{chr(code)}b") == f"a{name}b"


# Two streams.


def test_error_output_is_marked_by_class_and_said_once_where_it_begins_and_ends():
    screen = Screen()
    screen.feed(b"one\n", "stdout")
    screen.feed(b"two\nthree\n", "stderr")
    screen.feed(b"four\n", "stdout")
    assert screen.html() == (
        '<span class="output-line">one\n</span>'
        '<span class="output-line output-stderr">'
        '<span class="visually-hidden">Error output: </span>two\n</span>'
        '<span class="output-line output-stderr">three\n</span>'
        '<span class="output-line"><span class="visually-hidden">Output: </span>four\n</span>'
    )
    assert screen.plain_text() == "one\ntwo\nthree\nfour\n"


def test_text_of_the_other_stream_begins_a_new_line():
    screen = Screen()
    screen.feed(b"one", "stdout")
    screen.feed(b"\x1b[31m", "stderr")
    screen.feed(b" and a half", "stdout")
    screen.feed(b"two", "stderr")
    screen.feed(b"\nthree\n", "stdout")
    assert screen.plain_text() == "one and a half\ntwo\nthree\n"
    assert '<span class="ansi-fg-1">two</span>' in screen.html()


def test_characters_cut_between_two_streams_stay_whole():
    screen = Screen()
    screen.feed("é".encode()[:1], "stdout")
    screen.feed("ü\n".encode(), "stderr")
    screen.feed("é".encode()[1:], "stdout")
    assert screen.plain_text() == "ü\né"


# Little is kept of much.


def test_a_page_shows_two_thousand_lines():
    assert text_of("\n".join(map(str, range(2000)))).count("\n") == 1999
    assert "left out" not in text_of("x\n" * 2000)


def test_of_more_lines_the_first_and_the_last_thousand_are_shown():
    lines = screen_of("".join(f"{number}\n" for number in range(3001))).plain_text().splitlines()
    assert lines[:1000] == [str(number) for number in range(1000)]
    assert lines[1000] == "… 1,001 lines left out …"
    assert lines[1001:] == [str(number) for number in range(2001, 3001)]


def test_the_line_about_lines_left_out_says_which_stream_goes_on():
    screen = screen_of("a\nb\nc\n", limits=SMALL)
    screen.feed(b"d\ne\nf\n", "stderr")
    assert (
        '<span class="output-line output-note"><span class="visually-hidden">Error output: </span>'
        "… 1 line left out …\n</span>"
    ) in screen.html()


def test_a_long_line_is_folded_with_a_count():
    assert text_of("x" * 4000) == "x" * 4000
    assert text_of("x" * 4001) == "x" * 4000 + " … 1 more character"
    assert html_of("é" * 5_004_000) == (
        "é" * 4000 + '<span class="output-fold"> … 5,000,000 more characters</span>'
    )


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("x" * 12 + "\rab", "ab" + "x" * 8 + " … 2 more characters"),
        ("x" * 12 + "\b\b\b\by", "x" * 8 + "y" + "x … 2 more characters"),
        ("x" * 12 + "\r\x1b[Kab", "ab"),
        ("x" * 12 + "\b\x1b[K", "x" * 10 + " … 1 more character"),
        ("x" * 12 + "\r" + "y" * 11, "y" * 10 + " … 2 more characters"),
        ("漢" * 6 + "x", "漢" * 5 + " … 2 more characters"),
        ("x" * 9 + "漢x", "x" * 9 + " … 2 more characters"),
        ("x" * 9 + "\tx", "x" * 9 + " … 2 more characters"),
        ("x" * 12 + "\u0301", "x" * 10 + " … 2 more characters"),
    ],
)
def test_the_cursor_goes_back_from_what_is_folded(output, text):
    assert screen_of(output, limits=SMALL).plain_text() == text


def test_missing_bytes_are_stated_where_they_are_missing():
    screen = screen_of("\x1b[31mone\ntw")
    screen.gap(1_204_331)
    screen.feed(b"o\nthree\n", "stdout")
    screen.gap(0)
    assert screen.plain_text() == "one\ntw\n… 1,204,331 bytes left out …\no\nthree\n"
    assert (
        '<span class="output-line output-note">… 1,204,331 bytes left out …\n</span>'
        '<span class="output-line">o\n</span>'
    ) in screen.html()


def test_a_download_leaves_nothing_out():
    lines = "".join(f"{number}\n" for number in range(5000)) + "x" * 10_000
    assert screen_of(lines, limits=WHOLE).plain_text() == lines


@pytest.mark.parametrize(
    "piece",
    [
        b"x" * 65536,
        b"\n" * 65536,
        b"\x1b]0;" + b"t" * 65536,
        b"\x1b[" + b"1;" * 32768,
        b"e" + "\N{COMBINING ACUTE ACCENT}".encode() * 32768,
        b"\r\t" * 4096,
        b"a\r" * 4096,
    ],
)
def test_memory_stays_small_whatever_comes(piece):
    screen = screen_of(piece)
    tracemalloc.start()
    for _ in range(4):
        screen.feed(piece, "stdout")
    kept_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept_bytes < 500_000


def test_a_full_budget_of_coloured_lines_is_rendered_well_within_a_second():
    line = b"\x1b[32mok\x1b[0m a test \x1b[1mthat has a name\x1b[22m took \x1b[33m5 ms\x1b[39m\n"
    began_s = time.process_time()
    assert screen_of(line * (320 * 1024 // len(line))).html()
    assert time.process_time() - began_s < 1.0


# Patches.


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
