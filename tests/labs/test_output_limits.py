"""Little is kept of much output, and what is left out is stated where it is missing."""

import time
import tracemalloc

import pytest

from labs.output import WHOLE
from tests.labs.output_helpers import SMALL, html_of, screen_of, text_of


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
    began_s = time.thread_time()
    assert screen_of(line * (320 * 1024 // len(line))).html()
    assert time.thread_time() - began_s < 1.0
