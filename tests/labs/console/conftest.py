"""An admin at the console, and labs for its lists."""

from __future__ import annotations

import pytest

from tests.factories import make_user


@pytest.fixture
def admin(client):
    """Somebody with every right, logged in."""
    admin = make_user("boss", is_staff=True, is_superuser=True)
    client.force_login(admin)
    return admin
