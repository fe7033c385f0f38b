"""Sign-up, with a bound on how many accounts one address makes in an hour."""

from __future__ import annotations

from urllib.parse import urlsplit

from allauth.account import views as accounts
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve

from course.joining import classroom_of_code
from course.throttle import SIGN_UPS, WRONG_CODES, count_attempt, is_exhausted

TOO_MANY = 429


def signup(request: HttpRequest) -> HttpResponse:
    """Whoever comes by a working join link is let through: a school has one address for all."""
    if request.method == "POST" and not _comes_to_a_class(request):
        if is_exhausted(SIGN_UPS, request):
            return render(request, "account/signup_later.html", status=TOO_MANY)
        count_attempt(SIGN_UPS, request)
    response: HttpResponse = accounts.signup(request)
    return response


def _comes_to_a_class(request: HttpRequest) -> bool:
    try:
        match = resolve(urlsplit(request.POST.get("next", "")).path)
    except (Resolver404, ValueError):
        return False
    return match.view_name == "course:join-confirm" and _is_open(request, match.kwargs["code"])


def _is_open(request: HttpRequest, code: str) -> bool:
    """A wrong code counts here as it does where one is typed: else this would tell them apart."""
    if is_exhausted(WRONG_CODES, request):
        return False
    if classroom_of_code(code) is None:
        count_attempt(WRONG_CODES, request)
        return False
    return True
