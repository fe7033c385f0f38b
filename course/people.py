"""Who is asking: the one place that turns a request's user into ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from course.models import User

LOGGED_OUT = _(
    "You were logged out meanwhile, so the last thing you sent was not saved and nothing was run. "
    "What said “saved” before is kept. Log in, then do it once more."
)


def reader_of(request: HttpRequest) -> User | None:
    """The signed-in reader; None for a visitor."""
    return request.user if isinstance(request.user, User) else None


def signed_in(request: HttpRequest) -> User:
    """The reader of a view behind `login_required`."""
    reader = reader_of(request)
    if reader is None:
        raise TypeError("this view must be behind login_required")
    return reader


def login_required_on_lesson(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Log-in leads back to the lesson, since what was sent can't be sent again from there."""

    @wraps(view)
    def asked(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if reader_of(request):
            return view(request, slug, *args, **kwargs)
        messages.warning(request, LOGGED_OUT)
        return redirect_to_login(reverse("course:lesson-detail", args=[slug]))

    return asked


def name_tried(request: HttpRequest, credentials: Mapping[str, str] | None) -> str:
    """The name that wrong passphrases are counted by, in small letters as log-in takes it."""
    return (credentials or {}).get("username", "").strip().lower()
