"""Codes by which students join a class: made, written and read. Pure."""

from __future__ import annotations

import secrets

ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ"
"""No letter that looks like a digit, and no vowel, so that no code spells a word."""
LENGTH = 9
"""28 to the 9th are 43 bits."""
GROUP = 3


def make_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def written(code: str) -> str:
    """As people read it out: `BCD-FGH-JKM`."""
    return "-".join(code[start : start + GROUP] for start in range(0, len(code), GROUP))


def read(text: str) -> str:
    """The code that somebody typed, with small letters, dashes or spaces; empty where none is."""
    code = "".join(c for c in text.upper() if not c.isspace() and c not in "-–—_.")
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else ""
