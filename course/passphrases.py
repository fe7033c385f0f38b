"""Passphrases that are made for people: easy to say, to type and to read from a card."""

from __future__ import annotations

import secrets

from django.contrib.auth.hashers import Argon2PasswordHasher

SYLLABLES = [c + v for c in "bdfghjklmnprstvz" for v in "aeiou"]
WORDS = 4


def make_passphrase() -> str:
    """About 50 bits: four words of two syllables, such as `lobu-tana-resi-vemo`."""
    words = ["".join(secrets.choice(SYLLABLES) for _ in range(2)) for _ in range(WORDS)]
    return "-".join(words)


class CardHasher(Argon2PasswordHasher):
    """For passphrases made here by the dozen: the least that OWASP allows of Argon2id.

    They are random, so that guessing is hopeless anyway; and the first log-in with one stores it
    anew at the site's own cost, of which a class of thirty would be a page that never comes.
    """

    memory_cost = 19 * 1024
    time_cost = 2
    parallelism = 1
