"""Counts answers with a status of 500 or more, for `labs.metrics`. The only writer of these rows.

What can't be written, since it is the database that fails, waits in its process for a later answer.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

from django.db import Error, IntegrityError, connection, transaction
from django.db.models import F
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from labs.models import ServerError

Kind = tuple[str, int]
"""The view's name and the status."""
TRY_AGAIN_S = 5.0


class Tally:
    """What this process has counted and not written yet."""

    def __init__(self, try_again_s: float = TRY_AGAIN_S) -> None:
        self._try_again_s = try_again_s
        self._lock = threading.Lock()
        self._counts: Counter[Kind] = Counter()
        self._try_at = 0.0

    def add(self, counts: Counter[Kind]) -> None:
        with self._lock:
            self._counts.update(counts)

    def write(self) -> None:
        """A database that hangs costs its time-out now and then, not with every answer."""
        if not self._counts or time.monotonic() < self._try_at:
            return
        with self._lock:
            taken, self._counts = self._counts, Counter()
        try:
            _write(taken)
        except Error:
            self.add(taken)
            self._try_at = time.monotonic() + self._try_again_s


_tally = Tally()


def count_server_errors(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Stands before all others, so that their failures count as well."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code >= 500:
            match = request.resolver_match
            note(match.view_name if match else "", response.status_code)
        _tally.write()
        return response

    return answer


def note(view: str, status: int) -> None:
    """Counts one answer. Writes it now, or with a later answer of this process."""
    _tally.add(Counter({(view[:200], status): 1}))
    _tally.write()


def note_from_thread(view: str, status: int) -> None:
    """The same, from a thread that has no request: its line to the database is closed."""
    try:
        note(view, status)
    finally:
        connection.close()


def _write(counts: Counter[Kind]) -> None:
    with transaction.atomic():
        for (view, status), count in counts.items():
            _increase(view, status, count)


def _increase(view: str, status: int, count: int) -> None:
    known = ServerError.objects.filter(view=view, status=status)
    now = timezone.now()
    if known.update(count=F("count") + count, last_at=now):
        return
    try:
        with transaction.atomic():
            ServerError.objects.create(view=view, status=status, count=count, last_at=now)
    except IntegrityError:  # another process was quicker with the first one
        known.update(count=F("count") + count, last_at=now)
