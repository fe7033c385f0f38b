"""Who uses the site."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A reader with an account. A username suffices: many are thirteen and have no e-mail.

    Our own class from the first migration on, since it can't be swapped in later.
    """

    def __str__(self) -> str:
        return self.username

    @property
    def shown_name(self) -> str:
        return self.get_full_name() or self.username
