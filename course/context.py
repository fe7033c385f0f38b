"""What every page's frame needs: the reader's choices and the links they may follow."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.middleware.csrf import get_token

from course.frame_html import reading_html, words_html
from course.middleware import reading_of
from course.preferences import CHOICES


def frame(request: HttpRequest) -> dict[str, Any]:
    reading = reading_of(request)
    token = get_token(request)  # once: each time it is asked for, it is masked anew
    return {
        "csrf_token": token,
        "reading": reading,
        "reading_choices": CHOICES,
        "reading_html": reading_html(request, reading, token),
        "words_html": words_html(),
        "way_back": _way_back(request),
    }


def _way_back(request: HttpRequest) -> str:
    """Where log-in and sign-up lead: here, or from an account page to where one came from.

    allauth itself refuses addresses of other sites.
    """
    if request.path.startswith("/accounts/"):
        return request.GET.get("next", "/")
    return request.path
