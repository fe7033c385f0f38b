"""Makes every page in the reader's language and with their choices of look."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict
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
        # No page is the same for two people: a school's proxy is to keep none of them.
        response.headers.setdefault("Cache-Control", "private")
        patch_vary_headers(response, ["Accept-Language"])
        return response

    return answer


def no_nul(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Takes no NUL character: nobody can type one, and PostgreSQL keeps none in any text."""

    def answer(request: HttpRequest) -> HttpResponse:
        if has_nul(request):
            raise BadRequest("a NUL character was sent")
        return get_response(request)

    return answer


def has_nul(request: HttpRequest) -> bool:
    """In the address or in a form; what a file holds is its reader's to judge."""
    sent = (request.path_info, *_texts_of(request.GET), *_texts_of(request.POST))
    return any("\0" in text for text in sent)


def _texts_of(sent: QueryDict) -> Iterator[str]:
    for name, texts in sent.lists():
        yield name
        yield from map(str, texts)


def reading_of(request: HttpRequest) -> Reading:
    """The account's choices where it has any, else those made in this browser."""
    reader = reader_of(request) if hasattr(request, "user") else None
    return from_text((reader.reading if reader else "") or request.COOKIES.get(COOKIE, ""))


def language_of(request: HttpRequest, reading: Reading) -> str:
    if reading.language != "auto":
        return reading.language
    return translation.get_language_from_request(request)
