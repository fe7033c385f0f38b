"""The parts of every page's frame that cost the most to render, as pieces."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from course.preferences import CHOICES, Reading
from course.slots import Shelf, render_piece, slot

_shelf = Shelf()


def reading_html(request: HttpRequest, reading: Reading, token: str) -> SafeString:
    """The reader's choices as the form at the top of every page."""
    context = {
        "reading": reading,
        "reading_choices": CHOICES,
        "csrf_token": slot("csrf"),
        "request": {"get_full_path": slot("here")},
    }
    piece = _shelf.get_or_make(
        ("reading", reading, get_language()), lambda: render_piece("course/_reading.html", context)
    )
    here = escape(request.get_full_path())
    return piece.fill({"csrf": escape(token), "here": here})


def words_html() -> SafeString:
    """The words that scripts say, in the reader's language."""
    piece = _shelf.get_or_make(("words", get_language()), lambda: render_piece("_words.html", {}))
    return piece.fill({})
