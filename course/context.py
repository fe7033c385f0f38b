"""What every page's frame needs: the reader's choices and the links they may follow."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from course.preferences import CHOICES, COOKIE, from_cookie


def frame(request: HttpRequest) -> dict[str, Any]:
    return {
        "reading": from_cookie(request.COOKIES.get(COOKIE, "")),
        "reading_choices": CHOICES,
    }
