"""Recordings: what a shell showed, as asciicast, searched and as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.recordings import (
    Event,
    Recorder,
    cast_of,
    clock,
    events_of,
    find_in,
    marks_in,
    plain,
    text_of,
)
from labs.terminals import store_piece
from tests.factories import make_terminal, make_user


def events(taken):
    return [json.loads(line) for line in taken.lines.split("\n") if line]


def shown(recorder):
    taken = recorder.take()
    return "".join(data for _, code, data in events(taken) if code == "o") if taken else ""


def test_what_came_is_a_line_with_its_moment():
    recorder = Recorder(0, 0)
    recorder.feed(0, 1.25, b"$ ls\r\n")
    taken = recorder.take()
    assert events(taken) == [[1.25, "o", "$ ls\r\n"]]
    assert (taken.offset, taken.end, taken.at_s) == (0, 6, 1.25)


def test_nothing_new_is_nothing_to_store():
    recorder = Recorder(0, 0)
    assert recorder.take() is None
    recorder.feed(0, 1, b"x")
    recorder.take()
    assert recorder.take() is None


def test_half_a_character_waits_for_its_rest():
    recorder = Recorder(0, 0)
    recorder.feed(0, 1, "a漢".encode()[:2])
    first = recorder.take()
    assert (first.end, events(first)) == (1, [[1, "o", "a"]])
    recorder.feed(2, 2, "a漢".encode()[2:])
    assert events(recorder.take()) == [[2, "o", "漢"]]


@given(st.text(), st.lists(st.integers(1, 5), max_size=40))
def test_however_it_is_cut_the_same_text_is_recorded(text, cuts):
    data, recorder, at, recorded = text.encode(), Recorder(0, 0), 0, ""
    for cut in [*cuts, len(data) + 1]:
        recorder.feed(at, at, data[at : at + cut])
        at = min(len(data), at + cut)
        recorded += shown(recorder)
    assert recorded == text


def test_another_recorder_goes_on_where_the_first_had_stopped():
    first = Recorder(0, 0)
    first.feed(0, 1, "a漢".encode()[:3])
    taken = first.take()
    second = Recorder(taken.end, taken.at_s)
    second.feed(taken.end, 5, "漢b".encode())
    assert shown(second) == "漢b"


def test_what_was_too_fast_to_keep_is_said_with_its_size():
    recorder = Recorder(0, 0)
    recorder.feed(0, 1, b"abc")
    recorder.feed(1003, 2, b"xyz")
    assert "[1000 bytes were too many, too fast: they are left out]" in shown(recorder)


def test_a_mark_and_a_size_stand_before_what_came_after_them():
    recorder = Recorder(0, 0)
    recorder.note("m", "Crash at A3")
    recorder.note("r", "100x30")
    recorder.feed(0, 7.5, b"$ node")
    codes = [(code, data) for _, code, data in events(recorder.take())]
    assert codes == [("m", "Crash at A3"), ("r", "100x30"), ("o", "$ node")]


def test_a_recorders_clock_never_goes_back():
    recorder = Recorder(10, 5.0)
    recorder.feed(10, 3.0, b"x")
    assert events(recorder.take())[0][0] == 5.0


# Reading


@pytest.mark.django_db
def test_signs_that_end_a_line_in_other_alphabets_spoil_no_replay():
    signs = "one\u2028two\u2029three\x85four\x1cfive"
    recorder = Recorder(0, 0)
    recorder.feed(0, 1, signs.encode())
    session = make_terminal(make_user())
    store_piece(session, recorder.take())
    assert [event.data for event in events_of(session)] == [signs]
    assert "one" in text_of(session)


SHOWN = [
    Event(0.5, "o", "\x1b[32mnode@agent\x1b[0m:~$ nod"),
    Event(1.0, "o", "\b\x1b[Kde batch1.js A3\r\n"),
    Event(1.5, "m", "Crash at A3"),
    Event(2.0, "o", "A1: done\r\nCrash while working on A3\r\n$ "),
]


def test_a_command_is_found_as_it_stood_on_the_screen():
    found = find_in(SHOWN, "NODE batch1")
    assert [(each.at_s, each.line) for each in found] == [(1.0, "node@agent:~$ node batch1.js A3")]


def test_looking_for_nothing_finds_nothing():
    assert find_in(SHOWN, "  ") == []


def test_commands_of_a_lesson_are_listed_with_their_moment():
    assert [(mark.clock, mark.line) for mark in marks_in(SHOWN)] == [("0:01", "Crash at A3")]


@pytest.mark.parametrize(("seconds", "words"), [(0, "0:00"), (59.9, "0:59"), (187, "3:07")])
def test_a_moment_is_told_as_on_a_clock(seconds, words):
    assert clock(seconds) == words


def test_titles_and_colours_are_no_words_of_a_line():
    assert plain("\x1b]0;title\x07a\x1b[1;31mb\x1b[0mc\x1b(Bd") == "abcd"


@pytest.mark.django_db
def test_a_download_is_an_asciicast_of_the_second_version():
    session = make_terminal(make_user(), "$ echo hi\r\nhi\r\n")
    header, *lines = [json.loads(line) for line in "".join(cast_of(session)).splitlines()]
    assert (header["version"], header["width"], header["height"]) == (2, 80, 24)
    assert lines == [[0.5, "o", "$ echo hi\r\nhi\r\n"]]
    assert [event.data for event in events_of(session)] == ["$ echo hi\r\nhi\r\n"]


@pytest.mark.django_db
def test_as_text_nothing_of_it_acts():
    session = make_terminal(make_user(), "a\x1b[31mb\x1b[0m\r\n<script>\r\n")
    assert text_of(session) == "ab\n<script>\n"
