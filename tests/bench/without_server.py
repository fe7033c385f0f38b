"""Asks the site in this very process, past every server: what is measured is the page alone."""

from __future__ import annotations

from collections.abc import Callable

from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext


def site() -> Callable[..., bytes]:
    """Asks the site for a path as the owner of a session; what it answered."""
    application = get_wsgi_application()

    def ask(address: str, session: str, **headers: str) -> bytes:
        sent = {"cookie": f"sessionid={session}", "host": "localhost"}
        more = {f"HTTP_{name}": value for name, value in headers.items()}
        asked = RequestFactory().get(address, headers=sent, **more)
        statuses: list[str] = []
        answer = application(asked.environ, lambda status, *_: statuses.append(status))
        body = b"".join(answer)
        answer.close()
        assert statuses[0].startswith(("200", "204")), statuses
        return body

    return ask


def queries_of(ask: Callable[[], object]) -> int:
    """Of an answer that is not the first."""
    ask()
    with CaptureQueriesContext(connection) as queries:
        ask()
        return len(queries)
