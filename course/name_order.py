"""In which order people stand in a list. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from course.usernames import WITHOUT_MARKS

_NUMBER = re.compile(r"(\d+)")
NameKey = tuple[tuple[int, str], ...]


@lru_cache(maxsize=4096)
def name_key(name: str) -> NameKey:
    """Sorts as people read: `Ärger` beside `Arger` and not behind `Z`, `7b-2` before `7b-10`."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(WITHOUT_MARKS))
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    parts = _NUMBER.split(plain)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)
