"""The console's page of the audit log: searched and read."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from labs import audit
from tests.factories import make_user
from tests.labs.console.helpers import queries_of
from tests.markup import elements, words_of

pytestmark = pytest.mark.django_db

AUDIT = reverse("labs:audit-list")


def rows_of_log(page):
    return [row.words for row in elements(page, "tr")][1:]


@pytest.fixture
def log(admin):
    deeds = {"subject": "lab 7", "subject_name": "ada"}
    before, after = {"state": "ready"}, {"state": "stopping"}
    audit.record(actor=admin, action="stop lab", before=before, after=after, **deeds)
    audit.record(actor=make_user("helper"), action="restart lab", wish=3, **deeds)
    audit.record(actor=None, action="stop lab", subject="lab 8", subject_name="bob")


def test_an_entry_tells_who_did_what_to_whom_before_and_after(client, log):
    newest, middle, oldest = rows_of_log(client.get(AUDIT))
    assert "boss stop lab lab 7 ada state: ready state: stopping" in oldest
    assert "helper restart lab lab 7 ada wish: 3" in middle
    assert "the site itself stop lab lab 8 bob" in newest


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"words": "ada stop"}, 1),
        ({"words": "ADA"}, 2),
        ({"action": "stop lab"}, 2),
        ({"since": "2000-01-01"}, 3),
        ({"until": "2000-01-01"}, 0),
        ({"since": "2026-99-99"}, 3),
        ({"since": "nonsense", "page": "x"}, 3),
    ],
)
def test_the_log_is_searched_by_words_deed_and_day(client, log, query, found):
    assert len(rows_of_log(client.get(AUDIT, query))) == found


def test_nothing_found_is_said_in_words(client, admin):
    assert "Nothing was written down that is like this." in words_of(client.get(AUDIT))


def test_what_somebody_typed_is_shown_as_text(client, admin):
    text = "<script>alert(1)</script>"
    audit.record(actor=admin, action="send message", subject="lab 7", after={"message": text})
    page = client.get(AUDIT)
    assert f"message: {text}" in words_of(page)
    assert "<script>alert" not in page.content.decode()


def test_staff_needs_the_right_to_read_the_log(client, log):
    helper = make_user("clerk", is_staff=True)
    client.force_login(helper)
    assert client.get(AUDIT).status_code == 403
    helper.user_permissions.add(Permission.objects.get(codename="view_auditentry"))
    assert client.get(AUDIT).status_code == 200


def test_a_long_log_comes_in_pages_with_as_many_queries(client, admin):
    audit.record(actor=admin, action="stop lab", subject="lab 1")
    few = queries_of(client, AUDIT)
    for number in range(120):
        audit.record(actor=admin, action="stop lab", subject=f"lab {number}")
    assert queries_of(client, AUDIT) == few
    page = client.get(AUDIT, {"page": 3})
    assert "page 3 of 3" in words_of(page)
    assert len(rows_of_log(page)) == 21
