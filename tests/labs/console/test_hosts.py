"""The console's page of hosts: how full they are, draining them, what they may hold."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from labs.models import AuditEntry, Host
from tests.factories import make_admin, make_run
from tests.labs.console.helpers import HTMX, MIB, make_lab, make_sample, queries_of
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

HOSTS = reverse("labs:host-list")


@pytest.fixture
def host():
    return Host.objects.create(
        name="lab1", seen_at=timezone.now(), engine_version="24.0", memory_bytes=16 * 1024 * MIB
    )


def drain(client, host, **sent):
    return client.post(reverse("labs:host-drain", args=[host.pk]), sent, follow=True)


def row_of(page):
    return elements(page, "tr")[1].words


def test_a_host_tells_how_full_it_is(client, admin, host):
    Host.objects.update(capacity_labs=30, capacity_bytes=2048 * MIB)
    fields = {"state": "ready", "host": host, "generation": 1, "memory_bytes": 256 * MIB}
    for lab in (make_lab(**fields), make_lab(**fields)):
        make_sample(lab)
    waiting = make_lab(state="absent", host=host, memory_bytes=256 * MIB)
    make_run(waiting.owner)
    row = row_of(client.get(HOSTS))
    assert "takes labs seen 0 minutes ago 24.0" in row
    assert "2 of 30 512 of 2048 MiB 200 MiB 16 GiB 1" in row


def test_a_host_in_trouble_says_what_its_worker_said(client, admin, host):
    Host.objects.update(engine_error="Nobody answers at the engine's socket.")
    row = row_of(client.get(HOSTS))
    assert "in trouble" in row
    assert "Nobody answers at the engine's socket." in row


def test_a_host_in_trouble_that_drains_says_both(client, admin, host):
    Host.objects.update(engine_error="Nobody answers.", is_draining=True)
    assert "in trouble draining" in row_of(client.get(HOSTS))


def test_no_host_yet_is_said_in_words(client, admin):
    assert "No worker has reported yet." in words_of(client.get(HOSTS))


def test_the_table_alone_is_what_the_page_asks_for_again(client, admin, host):
    page = client.get(HOSTS, **HTMX)
    assert not elements(page, "html")
    assert element(page, id="host-table").attrs["hx-get"] == HOSTS


def test_draining_asks_once_more_and_is_written_down(client, admin, host):
    question = drain(client, host, drain="yes")
    assert "Drain lab1?" in words_of(question)
    assert not Host.objects.get().is_draining
    page = drain(client, host, drain="yes", confirmed="yes")
    assert Host.objects.get().is_draining
    assert "lab1 takes no more labs" in words_of(page)
    assert "draining" in row_of(page)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.subject_name) == (admin, "drain host", "lab1")
    assert (entry.before, entry.after) == ({"is_draining": False}, {"is_draining": True})


def test_a_drained_host_takes_labs_again(client, admin, host):
    Host.objects.update(is_draining=True)
    drain(client, host, drain="no", confirmed="yes")
    assert not Host.objects.get().is_draining
    assert AuditEntry.objects.get().action == "end drain"


def test_draining_twice_is_written_down_once(client, admin, host):
    drain(client, host, drain="yes", confirmed="yes")
    drain(client, host, drain="yes", confirmed="yes")
    assert AuditEntry.objects.count() == 1


def test_the_capacity_is_set_in_mib_and_taken_back_by_leaving_it_empty(client, admin, host):
    path = reverse("labs:host-edit", args=[host.pk])
    client.post(path, {"capacity_labs": "30", "capacity_mib": "4096"})
    host.refresh_from_db()
    assert (host.capacity_labs, host.capacity_bytes) == (30, 4096 * MIB)
    assert element(client.get(path), "input", name="capacity_mib").attrs["value"] == "4096"
    client.post(path, {"capacity_labs": "", "capacity_mib": ""})
    host.refresh_from_db()
    assert (host.capacity_labs, host.capacity_bytes) == (None, None)
    assert [e.action for e in AuditEntry.objects.all()] == ["set capacity"] * 2


def test_a_capacity_that_is_no_number_is_refused_at_its_field(client, admin, host):
    page = client.post(reverse("labs:host-edit", args=[host.pk]), {"capacity_labs": "-1"})
    assert page.status_code == 200
    assert element(page, class_="errorlist")
    assert not AuditEntry.objects.exists()


def test_staff_needs_the_right_to_change_hosts(client, host):
    helper = make_admin()
    client.force_login(helper)
    assert client.get(HOSTS).status_code == 403
    assert drain(client, host, drain="yes", confirmed="yes").status_code == 403
    helper.user_permissions.add(Permission.objects.get(codename="change_host"))
    assert client.get(HOSTS).status_code == 200


def test_many_hosts_take_as_many_queries_as_one(client, admin, host):
    few = queries_of(client, HOSTS)
    for number in range(20):
        make_lab(state="ready", host=Host.objects.create(name=f"more{number}"))
    assert queries_of(client, HOSTS) == few
