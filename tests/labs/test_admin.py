"""The audit log can be read by admins and changed by nobody."""

from __future__ import annotations

import pytest
from django.urls import reverse

from labs import audit
from labs.models import AuditEntry
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry(client):
    boss = make_user("boss", is_staff=True, is_superuser=True)
    client.force_login(boss)
    return audit.record(actor=boss, action="stop lab", subject="lab 7")


def test_admins_read_who_did_what(client, entry):
    page = client.get(reverse("admin:labs_auditentry_changelist")).content.decode()
    assert "stop lab" in page
    assert "lab 7" in page


@pytest.mark.parametrize("deed", ["add", "delete"])
def test_nobody_adds_or_removes_an_entry(client, entry, deed):
    args = [] if deed == "add" else [entry.pk]
    assert client.post(reverse(f"admin:labs_auditentry_{deed}", args=args)).status_code == 403
    assert AuditEntry.objects.count() == 1


def test_nobody_changes_an_entry(client, entry):
    path = reverse("admin:labs_auditentry_change", args=[entry.pk])
    assert client.post(path, {"action": "nothing"}).status_code == 403
    assert AuditEntry.objects.get().action == "stop lab"
