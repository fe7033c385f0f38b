"""The console's page of what waits, what is under way and what was lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from labs.models import AuditEntry, Host, Run, Wish
from labs.wishes import create_wish
from tests.factories import make_run, make_user
from tests.labs.console.helpers import HTMX, make_lab, queries_of
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

QUEUE = reverse("labs:queue-list")


def rows_of_table(page, name):
    """The table's rows, by the name of the region around it."""
    region = element(page, "div", aria_label=name)
    return [row.words for row in elements(page, "tr") if row.words and row.words in region.words][
        1:
    ]


def test_runs_wait_in_their_hosts_own_order(client, admin):
    near, far = Host.objects.create(name="near"), Host.objects.create(name="far")
    now = timezone.now()
    for minutes, (owner, host) in enumerate([("ada", near), ("bob", far), ("cyd", near)]):
        lab = make_lab(owner, host=host)
        make_run(lab.owner, queued_at=now - timedelta(minutes=9 - minutes), waiting_for="No place.")
    rows = rows_of_table(client.get(QUEUE), "Waiting runs")
    assert [(row.split()[0], row.split()[1]) for row in rows] == [
        ("1", "ada"),
        ("1", "bob"),
        ("2", "cyd"),
    ]
    assert all(row.endswith("No place.") for row in rows)


def test_a_run_whose_worker_fell_silent_shows_how_long_ago(client, admin):
    ended = timezone.now() - timedelta(minutes=3)
    make_run(make_user(), state=Run.State.RUNNING, lease_until_at=ended, started_at=ended)
    page = client.get(QUEUE)
    assert "3 minutes since the oldest lease ended: its worker may have died" in words_of(page)
    assert "ended 3 minutes ago" in rows_of_table(page, "Runs under way")[0]


def test_a_run_that_is_held_shows_for_how_long(client, admin):
    until = timezone.now() + timedelta(minutes=2, seconds=30)
    make_run(make_user(), state=Run.State.RUNNING, lease_until_at=until)
    assert "2 minutes until the oldest lease ends" in words_of(client.get(QUEUE))


def test_lost_runs_say_why(client, admin):
    make_run(make_user("ada"), state=Run.State.LOST, reason="lab_gone", detail="Your lab stopped.")
    (row,) = rows_of_table(client.get(QUEUE), "Lost runs")
    assert "ada checkpoints#resume lab_gone Your lab stopped." in row


def test_wishes_that_are_not_over_stand_there_too(client, admin):
    lab = make_lab("ada", state="ready")
    create_wish(lab=lab, actor=admin, kind=Wish.Kind.REBUILD)
    assert rows_of_table(client.get(QUEUE), "Wishes") == ["ada Rebuild waiting 0 minutes"]


def test_an_empty_queue_is_said_in_words(client, admin):
    said = words_of(client.get(QUEUE))
    for sentence in ("No run waits.", "No run is under way.", "No run was ever lost."):
        assert sentence in said


def test_ring_again_tells_the_workers_of_all_that_nobody_holds(client, admin):
    make_run(make_user())
    held = timezone.now() + timedelta(minutes=1)
    make_run(make_user(), state=Run.State.RUNNING, lease_until_at=held)
    page = client.post(reverse("labs:queue-ring"), follow=True)
    assert "told again of 1 thing that waits" in words_of(page)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.detail) == (admin, "ring again", {"rung": 1})


def test_the_queue_alone_is_what_the_page_asks_for_again(client, admin):
    page = client.get(QUEUE, **HTMX)
    assert not elements(page, "html")
    assert element(page, id="queue").attrs["hx-get"] == QUEUE


def test_fifty_waiting_runs_take_as_many_queries_as_one(client, admin):
    host = Host.objects.create(name="local")
    make_run(make_lab(host=host).owner)
    few = queries_of(client, QUEUE)
    for _ in range(49):
        make_run(make_lab(host=host).owner)
    assert queries_of(client, QUEUE) == few
