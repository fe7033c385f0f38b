"""Output on a page: what a terminal would show, line by line, and no other power of bytes."""

import pytest

from labs.output import Screen
from tests.labs.output_helpers import html_of, read, screen_of, text_of

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
