"""What a reader is told while the site's disk is full: nothing that is kept is lost meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

logger = logging.getLogger(__name__)

STATUS = 507
"""Insufficient Storage (RFC 4918); the page's scripts know it, too."""
WORDS = ("disk is full", "no space left on device")
"""Of SQLite and of PostgreSQL."""


class SayDiskIsFull:
    """Stands behind what knows the reader's language."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not is_disk_full(error):
            return None
        logger.error("the database's disk is full: %s", error)
        return render(request, "507.html", status=STATUS)


def is_disk_full(error: Exception) -> bool:
    """Whether the database could not write for want of room."""
    said = str(error).lower()
    return isinstance(error, DatabaseError) and any(words in said for words in WORDS)
