"""Sessions as Django keeps them in the database, read by a prepared statement: every page does."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from labs.prepared import Select

_live_session = Select(lambda: Session.objects.all(), "session_key = %s AND expire_date > %s")


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        """None for one that has expired or was never there; then a new one gets a new key."""
        is_a_key = "\0" not in (self.session_key or "")  # a cookie holds anything
        session = _live_session.first(self.session_key, timezone.now()) if is_a_key else None
        if session is None:
            self._session_key = None
        return session
