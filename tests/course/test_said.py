"""Whatever marking and comparing can say is known, and said in the reader's language."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from django.utils import translation

from course.lessons.comparing import check_run, compare_output
from course.lessons.marking import mark_gap
from course.lessons.model import Block, Example, Gap, Span
from course.said import _form_of, in_words

GAP = Gap(id="g", label="Animal", accept=("quokka",), points=2)
LONG = "x" * 100_000
ANSWERS = [
    (GAP, ""),
    (GAP, "quokka"),
    (GAP, "quokca"),
    (GAP, "cat"),
    (GAP, LONG),
    (replace(GAP, is_open=True), "my own words"),
    (replace(GAP, choices=("quokka", "cat")), "cat"),
    (replace(GAP, accept=(), pattern=".*okk.*"), "quokka"),
    (replace(GAP, ignore=frozenset({"case"})), "QUOKKA"),
    (replace(GAP, ignore=frozenset({"case", "spaces", "punctuation"})), "QUOK-KA"),
    (replace(GAP, accept=(), number=Decimal(3)), "three"),
    (replace(GAP, accept=(), number=Decimal(3)), "3"),
    (replace(GAP, accept=(), number=Decimal(3), tolerance=Decimal(1)), "3.5"),
    (replace(GAP, accept=(), number=Decimal(3)), "5"),
]
EXAMPLE = Example(html="", lines=((Span("one"),), (Span("two"),)))
MARKED = Example(html="", lines=((Span("one"),), (Span("two", varies=True),)))
OUTPUTS = ("one\ntwo\n", "one\n", "one\nother\nand another\n", "")


@pytest.mark.parametrize(("gap", "answer"), ANSWERS)
def test_every_reason_of_a_mark_is_known(gap, answer):
    assert _form_of(mark_gap(gap, answer).reason)[0]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("example", [EXAMPLE, MARKED])
def test_every_comparison_is_known(example, output):
    assert _form_of(compare_output(example, output).sentence)[0]


def test_the_tick_of_the_exit_code_is_known():
    block = Block(id="b", title="B", command="true", exit_code=3)
    (tick,) = check_run(block, 3, "", None)
    with translation.override("de"):
        assert in_words(tick.sentence) == "endet mit Exit-Code 3"


def test_what_stands_in_a_place_is_translated_too():
    said = "Differs from the example: 1 line of it missing, 3 lines not in it."
    with translation.override("de"):
        translated = in_words(said)
    assert translated.endswith(": es fehlt 1 Zeile daraus, und 3 Zeilen sind nicht darin.")


def test_an_authors_own_sentence_stays_as_it_is():
    with translation.override("de"):
        assert in_words("prints hello") == "prints hello"
        assert in_words("This does not hold: ends with exit code 0; prints 1 line.") == (
            "Das trifft nicht zu: endet mit Exit-Code 0; prints 1 line."
        )


def test_in_english_everything_stays_as_it_was_said():
    for gap, answer in ANSWERS:
        reason = mark_gap(gap, answer).reason
        assert in_words(reason) == reason
