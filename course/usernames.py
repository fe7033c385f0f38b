"""Usernames made of people's names. Pure."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Container

WITHOUT_MARKS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
LONGEST = 30


def username_from(first_name: str, last_name: str, taken: Container[str]) -> str:
    """`ada.lovelace`, with a number where that is taken; letters of any script are kept."""
    parts = [_plain(part) for part in (first_name, last_name)]
    base = ".".join(part for part in parts if part)[:LONGEST].strip(".-_") or "student"
    names = itertools.chain([base], (f"{base}{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)


def _plain(name: str) -> str:
    """Small, without marks above letters, words joined by `-`."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(WITHOUT_MARKS))
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"[^\w]+", "-", unicodedata.normalize("NFC", letters)).strip("-_")
