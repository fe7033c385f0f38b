"""The last gate before a page: what HTML a lesson may hold. Everything else is dropped."""

from __future__ import annotations

import nh3

ALLOWED: dict[str, set[str]] = {
    **{tag: set() for tag in ("blockquote", "br", "em", "hr", "li", "strong", "ul")},
    **{tag: set() for tag in ("caption", "tbody", "thead", "tr")},
    **{tag: {"id"} for tag in ("h2", "h3", "h4", "h5", "h6")},
    "a": {"href", "title"},
    "code": {"class"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "img": {"src", "alt", "title"},
    "lesson-part": {"n"},
    "ol": {"start"},
    "p": {"class"},
    "pre": {"tabindex"},
    "table": {"aria-label"},
    "td": {"class"},
    "th": {"class", "scope"},
}
SCHEMES = {"http", "https", "mailto"}


def clean_html(raw: str) -> str:
    """The HTML with nothing in it that lessons may not hold."""
    return nh3.clean(raw, tags=set(ALLOWED), attributes=ALLOWED, url_schemes=SCHEMES)
