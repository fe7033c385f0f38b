"""The form of the reader's choices."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from course.middleware import reading_of
from course.people import reader_of
from course.preferences import (
    COOKIE,
    COOKIE_MAX_AGE_S,
    keep_on_account,
    reading_from,
    to_text,
)


@require_http_methods(["GET", "HEAD", "POST"])
def reading(request: HttpRequest) -> HttpResponse:
    """Keeps the choices and goes back to the page they were made on. What isn't sent stays."""
    if request.method != "POST":
        return render(request, "course/reading.html", {"back": _own_address(request, "")})
    chosen = reading_from(request.POST.dict(), reading_of(request))
    response = HttpResponseRedirect(_own_address(request, "/"))
    if reader := reader_of(request):
        keep_on_account(user=reader, reading=chosen)
        return response
    response.set_cookie(
        COOKIE,
        to_text(chosen),
        max_age=COOKIE_MAX_AGE_S,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


def _own_address(request: HttpRequest, otherwise: str) -> str:
    """Where the reader came from, if that is a page of this site."""
    wanted = (request.POST or request.GET).get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    return wanted if is_ours else otherwise
