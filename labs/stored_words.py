"""Sentences that a worker wrote into a row, in the language of whoever reads them now."""

from __future__ import annotations

import re

from django.utils.translation import gettext

from labs.room import in_line_words
from labs.shell_words import NotRunnable

_BETWEEN = re.compile(r"(?<=[.!?]) ")
_IN_LINE = re.compile(
    r"All places .* number (?P<place>\d+) in the line; .* (?P<minutes>\d+) minutes?, .* by itself\."
)


def why_not_run(no: NotRunnable) -> str:
    """Why a line can't run in a lab, and what to do."""
    return " ".join(map(gettext, no.sentences)) % no.values


def in_readers_words(stored: str) -> str:
    """The stored sentences, those translated that are known; others as they are stored."""
    if not stored:
        return ""
    if found := _IN_LINE.fullmatch(stored):
        return in_line_words(int(found["place"]), minutes=int(found["minutes"]))
    cuts = [found.start() for found in _BETWEEN.finditer(stored)]
    # Longest first: two sentences may have been written as one text.
    for end in [len(stored), *reversed(cuts)]:
        translated = gettext(stored[:end])
        if translated != stored[:end] or (cuts and end == cuts[0]):
            return f"{translated} {in_readers_words(stored[end + 1 :])}".strip()
    return stored
