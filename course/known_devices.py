"""Browsers in which somebody was logged in before, by a signed cookie that stays after log-out.

It opens nothing: its names have counts of their own for wrong passphrases (`log_in_tries`).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = "device"
SALT = "course.known-device"
KEPT_S = 400 * 24 * 3600
MOST_NAMES = 10
"""Of one browser: those who were logged in last."""


def known_devices(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Gives the cookie of a log-in to the browser."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if text := getattr(request, "_device_cookie", ""):
            response.set_signed_cookie(
                COOKIE,
                text,
                salt=SALT,
                max_age=KEPT_S,
                httponly=True,
                samesite="Lax",
                secure=settings.SESSION_COOKIE_SECURE,
            )
        return response

    return answer


def name_key(name: str) -> str:
    """What stands for a name in rows and cookies, as log-in reads it: in small letters."""
    return salted_hmac(SALT, name.strip().lower()).hexdigest()[:32]


def device_of(request: HttpRequest, key: str) -> str:
    """This browser's mark for that name; empty where it doesn't know it."""
    return _marks_of(request).get(key, "")


def know_device(request: HttpRequest, key: str) -> None:
    """Has this browser know the name from now on."""
    marks = _marks_of(request)
    mark = marks.pop(key, "") or secrets.token_hex(8)
    newest = [*marks.items(), (key, mark)][-MOST_NAMES:]
    request._device_cookie = ".".join(map("-".join, newest))  # type: ignore[attr-defined]


def _marks_of(request: HttpRequest) -> dict[str, str]:
    """Key of a name → mark; nothing from a cookie that isn't ours."""
    text = request.get_signed_cookie(COOKIE, default="", salt=SALT, max_age=KEPT_S)
    pairs = (part.partition("-")[::2] for part in (text or "").split(".") if part)
    return dict(pairs)
