"""What the pure modules say of a run or an answer, in the language of whoever reads it now.

They know no Django and say it in English, and rows keep it so: each form of it stands here once
more, with places for what differs. tests/course/test_said.py sees that none is missing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from django.utils.translation import gettext, gettext_noop

from labs.stored_words import in_readers_words

_FORMS = (
    # course.lessons.comparing
    gettext_noop("ends with exit code %(code)s"),
    gettext_noop("Same as the example."),
    gettext_noop("Same as the example, apart from the marked parts."),
    gettext_noop("Differs from the example: %(missing)s of it missing, %(extra)s not in it."),
    gettext_noop("1 line"),
    gettext_noop("%(count)s lines"),
    # course.lessons.marking
    gettext_noop("Nothing is written here yet."),
    gettext_noop("Your teacher reads and marks this answer."),
    gettext_noop("The answer is longer than %(most)s characters."),
    gettext_noop("Another choice is right."),
    gettext_noop("It says what is asked for."),
    gettext_noop("Nearly: check the spelling (%(letters)s)."),
    gettext_noop("one letter is off"),
    gettext_noop("%(slips)s letters are off"),
    gettext_noop("This is not one of the accepted answers."),
    gettext_noop("This is an accepted answer."),
    gettext_noop("This is an accepted answer; %(ignored)s may differ."),
    gettext_noop("case"),
    gettext_noop("spaces"),
    gettext_noop("punctuation"),
    gettext_noop("its spelling"),
    gettext_noop("case and spaces"),
    gettext_noop("case and punctuation"),
    gettext_noop("spaces and punctuation"),
    gettext_noop("case and spaces and punctuation"),
    gettext_noop("A number is asked for, such as 3 or 2.5."),
    gettext_noop("This is the number asked for."),
    gettext_noop("This is the number asked for, within the tolerance."),
    gettext_noop("Another number is asked for."),
    # course.judging
    gettext_noop("This command was not run."),
    gettext_noop("Nobody knows how the run of this command ended."),
    gettext_noop("It was still running when it was handed in."),
    gettext_noop("The lesson's command has changed since it was run."),
    gettext_noop("This does not hold: %(ticks)s."),
    gettext_noop("This could not be checked: %(ticks)s."),
    gettext_noop("It does what it should: %(ticks)s."),
)
_NUMBERS = frozenset({"code", "count", "most", "slips"})


def in_words(said: str) -> str:
    """The sentence in the reader's language; as it is where nobody has translated it."""
    form, values = _form_of(said)
    if not form:
        return in_readers_words(said)
    return gettext(form) % {name: _in_parts(value) for name, value in values}


def _in_parts(value: str) -> str:
    """What fills a place may itself be said in words: ticks, or a count of lines."""
    return "; ".join(in_words(part) for part in value.split("; "))


@lru_cache(maxsize=4096)
def _form_of(said: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    for form, pattern in _patterns():
        if found := pattern.fullmatch(said):
            return form, tuple(found.groupdict().items())
    return "", ()


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Fixed sentences first, since a form with places would fit some of them, too."""
    forms = sorted(_FORMS, key=lambda form: "%(" in form)
    return [(form, re.compile(_as_pattern(form))) for form in forms]


def _as_pattern(form: str) -> str:
    parts = re.split(r"%\((\w+)\)s", form)
    texts, names = parts[::2], parts[1::2]
    places = [f"(?P<{name}>{'-?[0-9,]+' if name in _NUMBERS else '.+?'})" for name in names]
    return "".join(
        re.escape(text) + place for text, place in zip(texts, [*places, ""], strict=True)
    )
