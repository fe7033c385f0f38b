"""Who is asking: the one place that turns a request's user into ours."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest

from course.models import User


def reader_of(request: HttpRequest) -> User | None:
    """The signed-in reader; None for a visitor."""
    return request.user if isinstance(request.user, User) else None


def signed_in(request: HttpRequest) -> User:
    """The reader of a view behind `login_required`."""
    reader = reader_of(request)
    if reader is None:
        raise TypeError("this view must be behind login_required")
    return reader


def name_tried(request: HttpRequest, credentials: Mapping[str, str] | None) -> str:
    """The name that wrong passphrases are counted by, in small letters as log-in takes it."""
    return (credentials or {}).get("username", "").strip().lower()
