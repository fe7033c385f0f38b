"""Patterns for answers: what they mean, what they refuse, and that they end."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from course.lessons.patterns import (
    MAX_ANSWER_CHARS,
    MAX_STEPS,
    PatternError,
    check_pattern,
    fits_pattern,
)

letters = st.sampled_from(["a", "b", "c", "B", "7", " ", "_", "é", "Ж"])
sets = st.sampled_from(["[ab]", "[^a]", "[a-c7]", "[b-]", r"[\d_]", r"[^\w]", "[^A-B]", "[.]"])
atoms = st.one_of(letters, sets, st.sampled_from([".", r"\d", r"\w", r"\s", r"\D", r"\.", "(?:a)"]))
repeats = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,}", "{0,2}"])


def bigger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.tuples(inner, repeats).map(lambda parts: f"({parts[0]}){parts[1]}")
    row = st.lists(group | st.tuples(atoms, repeats).map("".join), max_size=3).map("".join)
    return st.lists(row, min_size=1, max_size=3).map("|".join)


patterns = st.recursive(st.tuples(atoms, repeats).map("".join), bigger, max_leaves=6)
answers = st.text(st.sampled_from("abcABC7 _-.éÉжЖ"), max_size=8)


@given(patterns, answers, st.booleans())
@example("[^a]", "A", True)
@example("(a|ab)(c|bcd)", "abcd", False)
@example("(a*)*b", "aab", False)
@settings(deadline=None)
def test_a_pattern_means_what_it_means_in_python(
    pattern: str, answer: str, ignore_case: bool
) -> None:
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    expected = re.fullmatch(pattern, answer, flags) is not None

    assert fits_pattern(pattern, answer, ignore_case=ignore_case) == expected


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*)*(.*)*(.*)*b", "((a{0,30}){0,10})*b"]
)
def test_patterns_that_hang_elsewhere_end_at_once(pattern: str) -> None:
    answer = "a" * MAX_ANSWER_CHARS
    before_s = time.thread_time()

    assert not fits_pattern(pattern, answer)
    assert time.thread_time() - before_s < 5


def test_a_longer_answer_fits_no_pattern() -> None:
    assert fits_pattern(".*", "a" * MAX_ANSWER_CHARS)
    assert not fits_pattern(".*", "a" * (MAX_ANSWER_CHARS + 1))


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a", "ends too early"),
        ("a)", "a “)” too many"),
        ("[a", "ends too early"),
        ("a**", "repeats a repetition"),
        ("a+?", "repeats a repetition"),
        ("*a", "“*” has nothing to work on"),
        ("^a", "Leave “^” out"),
        ("a$", "Leave “$” out"),
        (r"(a)\1", r"“\1” means nothing here"),
        (r"\bword\b", r"“\b” means nothing here"),
        ("(?!a)b", "patterns here can't do"),
        ("(?P<n>a)", "patterns here can't do"),
        ("a{x}", "Write {3}, {2,} or {2,5}"),
        ("a{,3}", "Write {3}, {2,} or {2,5}"),
        ("a{3,2}", "the least first"),
        ("a{101}", "at most 100"),
        ("[c-a]", "“c-a” is not a range"),
        ("(" * 30 + ")" * 30, "too many brackets inside brackets"),
        ("(((a{100}){100}){100}){100}", "too big"),
        ("ab" * MAX_STEPS, "too big"),
        ("\\", "ends too early"),
    ],
)
def test_what_a_pattern_cannot_do_is_refused_in_words(pattern: str, why: str) -> None:
    with pytest.raises(PatternError, match=re.escape(why)):
        check_pattern(pattern)


@given(st.text(st.sampled_from("ab()[]{}|*+?.^$\\-,12é‮"), max_size=20), answers)
@settings(deadline=None)
def test_any_text_is_a_pattern_or_refused_and_never_worse(pattern: str, answer: str) -> None:
    with suppress(PatternError):
        assert fits_pattern(pattern, answer) in (True, False)


def test_an_accent_typed_in_two_pieces_is_the_same_letter() -> None:
    assert fits_pattern("cafe\u0301", "caf\u00e9")
