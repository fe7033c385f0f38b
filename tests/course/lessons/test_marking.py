"""How answers are marked, and what the mark says about why."""

import unicodedata
from decimal import Decimal

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from course.lessons.marking import (
    MAX_KEYED_CHARS,
    Mark,
    Verdict,
    clean_answer,
    count_slips,
    mark_gap,
    normalise,
    read_numbers,
)
from course.lessons.model import Gap

RIGHT, NEARLY, WRONG = Verdict.RIGHT, Verdict.NEARLY, Verdict.WRONG
ignorable = st.frozensets(st.sampled_from(["case", "spaces", "punctuation"]))
texts = st.text(max_size=30)


def gap(*accept: str, **settings_: object) -> Gap:
    return Gap(id="g", label="G", accept=accept, **settings_)  # type: ignore[arg-type] # free form


def verdict(gap_: Gap, answer: str) -> Verdict:
    return mark_gap(gap_, answer).verdict


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("idempotent", RIGHT),
        ("  Idempotent. ", RIGHT),
        ("I D E M P O T E N T", RIGHT),
        ("“idempotent”", RIGHT),
        ("ｉｄｅｍｐｏｔｅｎｔ", RIGHT),
        ("idempotent\u200b", RIGHT),
        ("idempotant", NEARLY),
        ("idepmotent", NEARLY),
        ("idmpotant", NEARLY),
        ("impotent", NEARLY),
        ("potent", WRONG),
        ("important", WRONG),
    ],
)
def test_case_spaces_and_punctuation_do_not_matter_and_a_slip_is_nearly_right(
    answer: str, expected: Verdict
) -> None:
    assert verdict(gap("idempotent", "safe to repeat"), answer) == expected


def test_any_accepted_answer_earns_all_points() -> None:
    key = gap("go on", "continue", points=3)

    assert [mark_gap(key, answer).points for answer in ("go on", "Continue", "contineu")] == [
        3,
        3,
        0,
    ]


def test_an_author_may_ignore_nothing() -> None:
    key = gap("ls -l", ignore=frozenset(), near=0)

    assert [verdict(key, a) for a in ("ls -l", " ls -l ", "LS -l", "ls l", "ls  -l")] == [
        RIGHT,
        RIGHT,
        WRONG,
        WRONG,
        RIGHT,
    ]


@pytest.mark.parametrize("empty", ["", "  \n\t", "\u200b\u200f", "\u3000", "\ufeff"])
def test_nothing_written_is_empty_whatever_the_key(empty: str) -> None:
    for key in (gap("a"), gap(is_open=True), gap(number=Decimal(0)), gap(pattern=".*")):
        assert verdict(key, empty) == Verdict.EMPTY


def test_short_words_have_no_near_misses() -> None:
    assert [verdict(gap("run"), a) for a in ("ran", "rn", "runs")] == [WRONG] * 3
    assert [verdict(gap("retry"), a) for a in ("retri", "rety", "retrry", "entry")] == [
        NEARLY,
        NEARLY,
        NEARLY,
        WRONG,
    ]


def test_nearly_right_says_how_near_and_never_gives_the_word_away() -> None:
    mark = mark_gap(gap("checkpoint"), "chekpiont")

    assert mark == Mark(NEARLY, 0, "Nearly: check the spelling (2 letters are off).")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("3.14", RIGHT),
        ("3,14", RIGHT),
        ("+3.1", RIGHT),
        ("٣٫١٤", RIGHT),
        ("３.１４", RIGHT),
        ("about pi", RIGHT),
        ("3.2", WRONG),
        ("-3.14", WRONG),
        ("−3.14", WRONG),
        ("three", WRONG),
        ("3.14.1", WRONG),
        ("1e99999999999", WRONG),
        ("nan", WRONG),
        ("9" * 1000, WRONG),
    ],
)
def test_a_number_may_be_off_by_the_tolerance(answer: str, expected: Verdict) -> None:
    key = gap("about pi", number=Decimal("3.14"), tolerance=Decimal("0.05"))
    assert verdict(key, answer) == expected


@pytest.mark.parametrize("written", ["1500", "1,500", "1 500", "1'500", "1\u202f500", "1500.0"])
def test_a_thousand_may_be_written_as_people_do(written: str) -> None:
    assert verdict(gap(number=Decimal(1500)), written) == RIGHT


def test_only_the_right_choice_is_right_and_none_is_nearly() -> None:
    key = gap("not safe", choices=("safe", "not safe"))

    assert [verdict(key, a) for a in ("not safe", "safe", "not saf")] == [RIGHT, WRONG, WRONG]


def test_an_open_answer_waits_for_a_teacher_unless_the_key_knows_it() -> None:
    key = gap("a bookmark", is_open=True)

    assert verdict(key, "A save point") == Verdict.FOR_TEACHER
    assert verdict(key, "a bookmark!") == RIGHT
    assert verdict(key, "long " * MAX_KEYED_CHARS) == Verdict.FOR_TEACHER


def test_a_pattern_takes_the_whole_answer_with_its_spaces_made_one() -> None:
    key = gap(pattern=r"node +batch\d\.js")

    assert [
        verdict(key, a) for a in ("Node  batch1.js ", "node batch.js", "node batch1.js A3")
    ] == [
        RIGHT,
        WRONG,
        WRONG,
    ]


def test_a_very_long_answer_is_wrong_at_once() -> None:
    mark = mark_gap(gap("a"), "a" * (MAX_KEYED_CHARS + 1))

    assert mark == Mark(WRONG, 0, "The answer is longer than 2,000 characters.")


@pytest.mark.parametrize(
    ("accepted", "answer"),
    [
        ("استئناف", "\u200fاستئناف\u200e"),
        ("שלום עולם", "\u202bשלום  עולם\u202c"),
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("👩‍🚀", "👩‍🚀"),
        ("❤️", "❤"),
        ("ﬁle", "file"),
        ("ΟΔΟΣ", "οδος"),
    ],
)
def test_one_word_in_two_spellings_of_unicode_is_right(accepted: str, answer: str) -> None:
    assert verdict(gap(accepted), answer) == RIGHT


@given(texts, ignorable)
@example("\u0345\u0301", frozenset({"case"}))
@settings(deadline=None)
def test_a_text_that_is_normalised_is_normal(text: str, ignore: frozenset[str]) -> None:
    once = normalise(text, ignore)

    assert normalise(once, ignore) == once


@given(texts, ignorable)
@settings(deadline=None)
def test_every_key_accepts_itself_in_any_normal_form(text: str, ignore: frozenset[str]) -> None:
    assume(clean_answer(text))
    key = gap(text, ignore=ignore)

    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert verdict(key, unicodedata.normalize(form, text)) == RIGHT


@given(texts, texts, st.integers(0, 5), ignorable)
@settings(deadline=None)
def test_a_mark_has_points_only_when_right_and_always_a_reason(
    accepted: str, answer: str, near: int, ignore: frozenset[str]
) -> None:
    mark = mark_gap(gap(accepted, near=near, ignore=ignore, points=2), answer)

    assert mark.points == (2 if mark.verdict == RIGHT else 0)
    assert mark.reason.endswith((".", ")."))


@given(st.text(min_size=8, max_size=30), st.text(max_size=30))
@settings(deadline=None)
def test_the_reason_for_a_wrong_answer_never_holds_the_key(accepted: str, answer: str) -> None:
    mark = mark_gap(gap(accepted), answer)
    assume(mark.verdict in (WRONG, NEARLY))

    assert accepted not in mark.reason.replace("is not one of the accepted answers", "")


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
@settings(deadline=None)
def test_slips_are_counted_the_same_both_ways_and_cut_at_the_most(one: str, other: str) -> None:
    slips = count_slips(one, other, 99)

    assert slips == count_slips(other, one, 99)
    assert (slips == 0) == (one == other)
    assert abs(len(one) - len(other)) <= slips <= max(len(one), len(other))
    assert [count_slips(one, other, most) for most in range(4)] == [
        min(slips, most + 1) for most in range(4)
    ]


@given(st.text("ab😀é", min_size=1, max_size=10), st.data())
@settings(deadline=None)
def test_one_change_is_one_slip(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))

    assert count_slips(word[:at] + word[at + 1 :], word, 9) == 1
    assert count_slips(f"{word[:at]}z{word[at + 1 :]}", word, 9) == 1
    assert count_slips(f"{word[:at]}z{word[at:]}", word, 9) == 1


@given(st.decimals(-(10**9), 10**9, places=3))
@settings(deadline=None)
def test_a_number_is_read_as_it_is_written(number: Decimal) -> None:
    assert number in read_numbers(f"{number:f}")
    assert number in read_numbers(f"{number:,f}")


@given(texts)
@settings(deadline=None)
def test_any_text_is_a_number_or_none(text: str) -> None:
    assert all(number.is_finite() for number in read_numbers(text))
