"""Makes every page in the reader's language and with their choices of look."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from course.people import reader_of
from course.preferences import COOKIE, Reading, from_text


def readers_choices(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Stands behind authentication, since an account's choices go before this browser's."""

    def answer(request: HttpRequest) -> HttpResponse:
        with translation.override(language_of(request, reading_of(request))):
            response = get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language() or "en")
        patch_vary_headers(response, ["Accept-Language"])
        return response

    return answer


def reading_of(request: HttpRequest) -> Reading:
    """The account's choices where it has any, else those made in this browser."""
    reader = reader_of(request) if hasattr(request, "user") else None
    return from_text((reader.reading if reader else "") or request.COOKIES.get(COOKIE, ""))


def language_of(request: HttpRequest, reading: Reading) -> str:
    if reading.language != "auto":
        return reading.language
    return translation.get_language_from_request(request)
