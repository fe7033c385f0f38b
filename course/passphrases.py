"""Passphrases that are made for people: easy to say, to type and to read from a card."""

from __future__ import annotations

import secrets

SYLLABLES = [c + v for c in "bdfghjklmnprstvz" for v in "aeiou"]
WORDS = 4


def make_passphrase() -> str:
    """About 50 bits: four words of two syllables, such as `lobu-tana-resi-vemo`."""
    words = ["".join(secrets.choice(SYLLABLES) for _ in range(2)) for _ in range(WORDS)]
    return "-".join(words)
