"""Files and their differences on a page: every character seen, none of them acting."""

from __future__ import annotations

import gzip
import io
import re
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from labs.engine.listing import list_entries
from labs.shown_files import MAX_LINES, can_compare, differences, is_text, show_text
from labs.zips import safe_name, zip_pieces
from tests.labs.engine.test_listing import archive


def shown(data):
    return str(show_text(data).html)


def lines(before, after):
    return [
        f"{line.sign} {re.sub('<[^>]+>', '', line.html)}" for line in differences(before, after)
    ]


class CountingSet(set):
    """Counts how often it was asked."""

    looks = 0

    def __contains__(self, name):
        self.looks += 1
        return super().__contains__(name)


def test_markup_in_a_file_is_text():
    assert shown(b"<script>&\n") == "&lt;script&gt;&amp;"


def test_characters_that_reorder_or_hide_are_shown_by_number():
    text = shown("if (admin\u202e) { \u200b}\x1b[31m".encode())
    assert "⟨U+202E⟩" in text
    assert "⟨U+200B⟩" in text
    assert ">␛</span>[31m" in text
    assert "\u202e" not in text


@given(st.binary(max_size=200))
def test_no_file_brings_markup_or_hidden_characters_to_a_page(data):
    text = shown(data)
    without_signs = re.sub(r'<span class="output-control">[^<>]*</span>', "", text)
    assert "<" not in without_signs
    assert all(char in "\n\t" or char.isprintable() or char.isspace() for char in text)


def test_a_long_file_is_cut_and_says_so():
    long = show_text(b"x\n" * (MAX_LINES + 1))
    assert (long.is_cut, long.lines, long.html.count("\n")) == (True, MAX_LINES + 1, MAX_LINES - 1)
    assert show_text(b"y" * 5_000).is_cut
    assert not show_text(b"short\n").is_cut


def test_bytes_with_a_nul_are_no_text():
    assert not is_text(b"\x7fELF\0")
    assert is_text("ü".encode("latin-1"))


def test_a_difference_shows_what_was_removed_and_added_with_its_place():
    assert lines(b"a\nb\nc\n", b"a\nB\nc\nd\n") == [
        " from line 1", "  a", "− b", "+ B", "  c", "+ d",
    ]  # fmt: skip


def test_blanks_at_the_end_tabs_and_line_ends_are_seen():
    assert lines(b"a\n", b"a  \n")[-1] == "+ a··"
    assert lines(b"a\n", b"\ta\n")[-1] == "+ →\ta"
    assert lines(b"a\n", b"a")[-1] == "+ no line end at the end of the file"
    assert lines(b"a\r\n", b"a\n") == [" line ends of Windows: 1 before, 0 after"]


def test_the_same_text_has_no_difference():
    assert differences(b"a\n", b"a\n") == []


def test_what_would_take_too_long_is_not_compared():
    assert can_compare(b"a\n", b"")
    assert not can_compare(b"x" * 300_000)
    assert not can_compare(b"\n" * 4_000)
    assert not can_compare(b"a", b"\0")


def test_a_zip_holds_every_file_under_a_name_that_every_system_can_unpack():
    data = archive(
        ("run.sh", b"#!/bin/sh\n"),
        ("RUN.sh", b"other"),
        ("a:b\\c\n", b"odd"),
        ("demo", None),
        ("demo/big", b"z" * 200_000),
        ("link", "run.sh"),
    )
    zipped = zipfile.ZipFile(io.BytesIO(b"".join(zip_pieces(gzip.compress(data)))))
    assert zipped.testzip() is None
    assert sorted(zipped.namelist()) == ["RUN.sh", "a_b_c_", "demo/big", "run.sh~2"]
    assert zipped.read("demo/big") == b"z" * 200_000
    assert zipped.getinfo("RUN.sh").external_attr >> 16 == 0o100755
    assert len(list_entries(data)) == 6


def test_names_never_lead_out_of_where_they_are_unpacked():
    assert safe_name("../../etc/passwd", set()) == "etc/passwd"
    assert safe_name("/", set()) == "_"
    assert safe_name("a/..", set()) == "a"
    assert safe_name("note", {"note", "note~2"}) == "note~3"


def test_thousands_of_names_that_clash_cost_few_steps_each():
    taken = CountingSet()
    for number in range(2_000):
        taken.add(safe_name(chr(0xE000 + number), taken).lower())
    assert len(taken) == 2_000
    assert taken.looks < 2_000 * 30
