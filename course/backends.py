"""How an account is found at log-in, and again with each request by a prepared statement."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend

from course.models import User
from labs.prepared import Select

_user = Select(lambda: User.objects.all(), "id = %s")


class AccountBackend(AuthenticationBackend):  # type: ignore[misc] # allauth has no types
    def get_user(self, user_id: int) -> User | None:
        """None for an account that is gone, or was closed."""
        user = _user.first(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
