"""The reader's choices of look and language: on the account where there is one, else in a cookie.

An account's choices never enter the cookie, so that they end with the log-in: the next one at a
shared machine, or a class before the projector, doesn't see them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from course.models import User

COOKIE = "reading"
COOKIE_MAX_AGE_S = 400 * 24 * 3600

CHOICES: dict[str, dict[str, str | Promise]] = {
    "paper": {
        "system": _("As my system"),
        "white": _("White"),
        "cream": _("Cream"),
        "peach": _("Peach"),
        "blue": _("Blue tint"),
        "green": _("Green tint"),
        "dark": _("Dark"),
    },
    "contrast": {"normal": pgettext_lazy("contrast", "Normal"), "high": _("High")},
    "size": {"100": "100 %", "125": "125 %", "150": "150 %", "200": "200 %"},
    "font": {
        "system": _("As my system"),
        "atkinson": "Atkinson Hyperlegible",
        "opendyslexic": "OpenDyslexic",
    },
    "lines": {
        "normal": pgettext_lazy("space", "Normal"),
        "wide": _("Wide"),
        "wider": _("Wider"),
    },
    "letters": {
        "normal": pgettext_lazy("space", "Normal"),
        "wide": _("Wide"),
        "wider": _("Wider"),
    },
    "motion": {"system": _("As my system"), "less": _("Less")},
    "panel": {"shown": _("Shown"), "hidden": _("Hidden")},
    "language": {"auto": _("As my browser"), "en": "English", "de": "Deutsch"},
}
NOT_IN_HTML = "language"
"""It is said by `lang` instead."""


@dataclass(frozen=True)
class Reading:
    """One reader's choices; each is a key of CHOICES. New ones are added at the end: cookies and
    accounts hold them by place."""

    paper: str = "system"
    contrast: str = "normal"
    size: str = "100"
    font: str = "system"
    lines: str = "normal"
    letters: str = "normal"
    motion: str = "system"
    panel: str = "shown"
    language: str = "auto"

    @property
    def attributes(self) -> SafeString:
        """For the element <html>."""
        return _attributes(self)


DEFAULT = Reading()
NAMES = tuple(field.name for field in fields(Reading))


def reading_from(values: Mapping[str, str], before: Reading = DEFAULT) -> Reading:
    """What `values` choose; anything unknown or missing stays as it was before."""
    chosen = {name: values.get(name, "") for name in NAMES}
    known = {name: value for name, value in chosen.items() if value in CHOICES[name]}
    return Reading(**{**vars(before), **known})


def to_text(reading: Reading) -> str:
    """As a cookie and an account hold it."""
    return ".".join(getattr(reading, name) for name in NAMES)


@lru_cache(maxsize=1024)
def from_text(text: str) -> Reading:
    """The choices in a cookie or an account; anything that makes no sense is the default."""
    return reading_from(dict(zip(NAMES, text.split("."), strict=False)))


def keep_on_account(*, user: User, reading: Reading) -> None:
    User.objects.filter(pk=user.pk).update(reading=to_text(reading))
    user.reading = to_text(reading)


@lru_cache(maxsize=1024)
def _attributes(reading: Reading) -> SafeString:
    shown = ((name, getattr(reading, name)) for name in NAMES if name != NOT_IN_HTML)
    return format_html_join(" ", 'data-{}="{}"', shown)
