"""An answer and its gap's key → a mark that says why. Pure.

A reason never gives the key away: students read it too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from course.lessons.model import Gap
from course.lessons.patterns import fits_pattern

MAX_KEYED_CHARS = 2_000
"""A longer answer is not compared with a key: reading it costs more than it can be worth."""
LETTERS_PER_SLIP = 4
NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{0,15})?|[+-]?\.\d{1,15}")
# Written between the digits of one number: a comma, an apostrophe, spaces of three widths.
THOUSANDS = re.compile(r"(?<=\d)[,'’\s](?=\d{3}(?!\d))")
SIGNS = str.maketrans({"−": "-", "–": "-", "‒": "-", "٫": ".", "٬": ","})
"""Minus signs that are not the keyboard's, and the Arabic decimal and thousands signs."""


class Verdict(StrEnum):
    RIGHT = "right"
    NEARLY = "nearly"
    WRONG = "wrong"
    FOR_TEACHER = "for the teacher"
    EMPTY = "empty"


@dataclass(frozen=True)
class Mark:
    """What an answer is worth, and why, in a sentence that its author may read."""

    verdict: Verdict
    points: int
    reason: str


def mark_gap(gap: Gap, answer: str) -> Mark:
    """The mark of one answer. Nearly right earns no points yet; open answers wait for a teacher."""
    if not clean_answer(answer):
        return Mark(Verdict.EMPTY, 0, "Nothing is written here yet.")
    if len(answer) <= MAX_KEYED_CHARS:
        mark = _mark_by_key(gap, answer)
        if mark.verdict is Verdict.RIGHT or not gap.is_open:
            return mark
    if gap.is_open:
        return Mark(Verdict.FOR_TEACHER, 0, "Your teacher reads and marks this answer.")
    return Mark(Verdict.WRONG, 0, f"The answer is longer than {MAX_KEYED_CHARS:,} characters.")


def _mark_by_key(gap: Gap, answer: str) -> Mark:
    written = normalise(answer, gap.ignore)
    keys = [normalise(text, gap.ignore) for text in gap.accept]
    if written in keys:
        return Mark(Verdict.RIGHT, gap.points, _why_right(gap, answer))
    if gap.choices:
        return Mark(Verdict.WRONG, 0, "Another choice is right.")
    if gap.pattern and _fits(gap, answer):
        return Mark(Verdict.RIGHT, gap.points, "It says what is asked for.")
    if gap.number is not None:
        return _mark_number(gap, gap.number, answer)
    near = [slips for key in keys if (slips := _slips(gap, key, written)) is not None]
    if near:
        return Mark(Verdict.NEARLY, 0, f"Nearly: check the spelling ({_letters(min(near))}).")
    return Mark(Verdict.WRONG, 0, "This is not one of the accepted answers.")


def _why_right(gap: Gap, answer: str) -> str:
    if clean_answer(answer) in gap.accept:
        return "This is an accepted answer."
    ignored = [word for word in ("case", "spaces", "punctuation") if word in gap.ignore]
    return f"This is an accepted answer; {' and '.join(ignored) or 'its spelling'} may differ."


def _letters(slips: int) -> str:
    return "one letter is off" if slips == 1 else f"{slips} letters are off"


def _fits(gap: Gap, answer: str) -> bool:
    text = " ".join(clean_answer(answer).split())
    return fits_pattern(gap.pattern, text, ignore_case="case" in gap.ignore)


# Texts -------------------------------------------------------------------------------------------


def clean_answer(answer: str) -> str:
    """The answer in one Unicode spelling (NFKC), without what can't be seen or stands around it."""
    composed = unicodedata.normalize("NFKC", answer)
    return "".join(char for char in composed if not _is_invisible(char)).strip()


def normalise(text: str, ignore: frozenset[str]) -> str:
    """The text as it is compared: applied twice it changes nothing more."""
    before = None
    # Leaving a sign out can bring two others together that compose, so once may not be enough.
    while before != text:
        before, text = text, _normalise_once(text, ignore)
    return text


def _normalise_once(text: str, ignore: frozenset[str]) -> str:
    text = clean_answer(text)
    if "case" in ignore:
        text = text.casefold()
    if "punctuation" in ignore:
        text = "".join(char for char in text if not unicodedata.category(char).startswith("P"))
    return ("" if "spaces" in ignore else " ").join(text.split())


def _is_invisible(char: str) -> bool:
    # Direction marks, joiners, zero-width spaces, variation selectors: keyboards and apps add
    # them unasked, and nobody sees whether they are there.
    return unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f"


def _slips(gap: Gap, key: str, written: str) -> int | None:
    most = min(gap.near, len(key) // LETTERS_PER_SLIP)
    slips = count_slips(written, key, most)
    return slips if slips <= most else None


def count_slips(written: str, key: str, most: int) -> int:
    """Letters to change, add, leave out or swap with a neighbour; `most` + 1 when it is more."""
    if abs(len(written) - len(key)) > most:
        return most + 1
    older: list[int] = []
    above = list(range(len(key) + 1))
    for row, letter in enumerate(written, start=1):
        line = [row]
        for col, wanted in enumerate(key, start=1):
            cost = min(above[col] + 1, line[-1] + 1, above[col - 1] + (letter != wanted))
            if older and col > 1 and letter == key[col - 2] and written[row - 2] == wanted:
                cost = min(cost, older[col - 2] + 1)
            line.append(cost)
        if min(line) > most:
            return most + 1
        older, above = above, line
    return min(above[-1], most + 1)


# Numbers -----------------------------------------------------------------------------------------


def _mark_number(gap: Gap, wanted: Decimal, answer: str) -> Mark:
    numbers = read_numbers(answer)
    if not numbers:
        return Mark(Verdict.WRONG, 0, "A number is asked for, such as 3 or 2.5.")
    if any(abs(number - wanted) <= gap.tolerance for number in numbers):
        close = "" if wanted in numbers else ", within the tolerance"
        return Mark(Verdict.RIGHT, gap.points, f"This is the number asked for{close}.")
    return Mark(Verdict.WRONG, 0, "Another number is asked for.")


def read_numbers(answer: str) -> tuple[Decimal, ...]:
    """What the answer can mean as a number: `1,500` is 1500 and also 1.5; empty for no number."""
    text = clean_answer(answer).translate(SIGNS)
    return tuple(dict.fromkeys(_readings(text)))


def _readings(text: str) -> Iterator[Decimal]:
    for reading in (text, THOUSANDS.sub("", text), text.replace(",", ".", 1)):
        if NUMBER.fullmatch(reading):
            yield Decimal(reading)
