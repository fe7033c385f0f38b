"""Sentences that a worker wrote into a row, in the language of whoever reads them now."""

from __future__ import annotations

import re

from django.utils.translation import gettext

_BETWEEN = re.compile(r"(?<=[.!?]) ")


def in_readers_words(stored: str) -> str:
    """The stored sentences, those translated that are known; others as they are stored."""
    if not stored:
        return ""
    cuts = [found.start() for found in _BETWEEN.finditer(stored)]
    # Longest first: two sentences may have been written as one text.
    for end in [len(stored), *reversed(cuts)]:
        translated = gettext(stored[:end])
        if translated != stored[:end] or (cuts and end == cuts[0]):
            return f"{translated} {in_readers_words(stored[end + 1 :])}".strip()
    return stored
