"""The reader's choices of paper, contrast and text size, kept in a cookie for every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

COOKIE = "reading"
COOKIE_MAX_AGE_S = 400 * 24 * 3600

CHOICES = {
    "paper": {
        "white": "White",
        "cream": "Cream",
        "peach": "Peach",
        "blue": "Blue tint",
        "green": "Green tint",
        "dark": "Dark",
    },
    "contrast": {"normal": "Normal", "high": "High"},
    "size": {"100": "100 %", "125": "125 %", "150": "150 %", "200": "200 %"},
}


@dataclass(frozen=True)
class Reading:
    """One reader's choices; each is a key of CHOICES."""

    paper: str = "white"
    contrast: str = "normal"
    size: str = "100"


def reading_from(values: Mapping[str, str]) -> Reading:
    """What `values` choose; anything unknown or missing is the default."""
    chosen = {f.name: values.get(f.name, "") for f in fields(Reading)}
    return Reading(**{name: value for name, value in chosen.items() if value in CHOICES[name]})


def to_cookie(reading: Reading) -> str:
    return ".".join(getattr(reading, f.name) for f in fields(Reading))


def from_cookie(text: str) -> Reading:
    names = [f.name for f in fields(Reading)]
    return reading_from(dict(zip(names, text.split("."), strict=False)))
