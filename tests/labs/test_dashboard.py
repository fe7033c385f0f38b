"""The admins' page of all labs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from labs.lifecycle import lab_of
from labs.models import AuditEntry, Host, Lab
from tests.factories import make_admin, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}
LABS = reverse("labs:lab-list")
QUERIES_AT_MOST = 6


@pytest.fixture
def admin(client):
    admin = make_admin()
    client.force_login(admin)
    return admin


def make_lab(username="", **fields):
    lab = lab_of(make_user(username))
    Lab.objects.filter(pk=lab.pk).update(**fields)
    return lab


def stop_of(lab):
    return reverse("labs:lab-stop", args=[lab.pk])


def rows_of(response):
    return [row.words for row in elements(response, "tr")][1:]


def test_an_admin_sees_every_lab_with_owner_state_age_and_host(client, admin):
    host = Host.objects.create(name="local")
    make_lab("ada", state="ready", generation=3, host=host)
    since = timezone.now() - timedelta(hours=2)
    make_lab("bob", state="failed", reason="The image is missing.", state_since_at=since)
    ada, bob = rows_of(client.get(LABS))
    assert ada == "ada ready 0 minutes Stop the lab of ada 3 local"
    assert bob == "bob failed The image is missing. 2 hours Stop the lab of bob 0 none"


def test_labs_with_a_container_stand_before_those_without(client, admin):
    make_lab("ada")
    make_lab("zoe", state="ready")
    assert [row.split()[0] for row in rows_of(client.get(LABS))] == ["zoe", "ada"]


@pytest.mark.parametrize("state", ["absent", "stopping"])
def test_what_cant_be_stopped_has_no_stop_button(client, admin, state):
    make_lab(state=state)
    assert not elements(client.get(LABS, **HTMX), "button")


def test_no_lab_yet_is_said_in_words(client, admin):
    assert "No student has a lab yet." in words_of(client.get(LABS))


def test_a_host_that_is_ill_says_what_its_worker_said(client, admin):
    Host.objects.create(
        name="lab7", seen_at=timezone.now(), engine_error="Nobody answers at the socket."
    )
    assert "Host lab7: Nobody answers at the socket., seen 0 minutes ago" in words_of(
        client.get(LABS)
    )


def test_the_table_alone_is_what_the_page_asks_for_again(client, admin):
    make_lab("ada", state="ready")
    fragment = client.get(LABS, **HTMX)
    assert not elements(fragment, "html")
    table = element(fragment, id="lab-table")
    assert table.attrs["hx-get"] == LABS
    assert "ada ready" in table.words


def test_stop_moves_the_lab_says_so_and_is_written_into_the_audit_log(client, admin):
    lab = make_lab("ada", state="ready")
    response = client.post(stop_of(lab), follow=True)
    assert Lab.objects.get(pk=lab.pk).state == Lab.State.STOPPING
    assert "The lab of ada saves its files and stops." in words_of(response)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.subject) == (admin, "stop lab", f"lab {lab.pk}")


def test_stopping_a_lab_that_is_not_started_changes_nothing(client, admin):
    lab = make_lab()
    client.post(stop_of(lab))
    assert Lab.objects.get(pk=lab.pk).state == Lab.State.ABSENT
    assert not AuditEntry.objects.exists()


def test_a_lab_that_never_was_is_not_found(client, admin):
    assert client.post(reverse("labs:lab-stop", args=[999])).status_code == 404


def test_a_student_can_neither_see_nor_stop_labs_not_even_their_own(client):
    student = make_user()
    lab = lab_of(student)
    Lab.objects.update(state="ready")
    client.force_login(student)
    response = client.get(LABS)
    assert response.status_code == 403
    assert "Labs are managed by admins." in words_of(response)
    assert client.post(stop_of(lab)).status_code == 403
    assert Lab.objects.get().state == Lab.State.READY


def test_a_visitor_logs_in_first(client):
    lab = make_lab(state="ready")
    assert client.get(LABS)["Location"] == f"/accounts/login/?next={LABS}"
    assert client.post(stop_of(lab))["Location"].startswith("/accounts/login/")
    assert Lab.objects.get().state == Lab.State.READY


def test_a_lab_is_not_stopped_by_following_a_link(client, admin):
    lab = make_lab(state="ready")
    assert client.get(stop_of(lab)).status_code == 405
    assert Lab.objects.get().state == Lab.State.READY


def test_fifty_labs_take_as_many_queries_as_two(client, admin):
    host = Host.objects.create(name="local")
    for _ in range(2):
        make_lab(state="ready", host=host)
    few = queries_of(client)
    for _ in range(48):
        make_lab(state="ready", host=host)
    assert queries_of(client) == few <= QUERIES_AT_MOST


def queries_of(client):
    with CaptureQueriesContext(connection) as queries:
        client.get(LABS)
    return len(queries)
