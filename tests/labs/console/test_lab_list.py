"""The console's list of all labs: what it shows, finds, orders and costs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone

from labs.models import Host, Lab
from tests.factories import make_admin, make_classroom, make_finished_run, make_user
from tests.labs.console.helpers import (
    HTMX,
    MIB,
    make_lab,
    make_sample,
    owners_in,
    queries_of,
    rows_of,
)
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

LABS = reverse("labs:lab-list")
QUERIES_AT_MOST = 12


def test_a_row_tells_all_of_a_lab(client, admin):
    host = Host.objects.create(name="local")
    since = timezone.now() - timedelta(hours=2, minutes=5)
    lab = make_lab("ada", state="ready", generation=3, host=host, state_since_at=since)
    make_sample(lab)
    make_classroom(teacher=make_user(), students=[lab.owner])
    make_finished_run(lab.owner, exit_code=3)
    (row,) = rows_of(client.get(LABS))
    assert row == (
        "Choose the lab of ada ada 7b ready 2 hours 100 of 256 MiB 12 % 3 of 64 MiB 7 of 128 "
        "finished, exit code 3 0 s ago local"
    )


def test_trouble_is_told_in_words_with_its_age(client, admin):
    make_lab(
        "bob",
        state="failed",
        reason="The image is missing.",
        last_error="The engine did not answer in time.",
        last_error_at=timezone.now() - timedelta(minutes=4),
    )
    (row,) = rows_of(client.get(LABS))
    assert "failed The image is missing." in row
    assert "The engine did not answer in time. (4 minutes ago)" in row


@pytest.mark.parametrize("fields", [{"state": "absent"}, {"state": "ready", "generation": 4}])
def test_what_an_earlier_container_used_is_not_shown(client, admin, fields):
    lab = make_lab(**({"generation": 3} | fields))
    make_sample(lab, generation=3)
    assert "MiB" not in words_of(client.get(LABS))


def test_labs_with_a_container_stand_before_those_without(client, admin):
    make_lab("ada")
    make_lab("zoe", state="ready")
    assert owners_in(client.get(LABS)) == ["zoe", "ada"]


def test_no_lab_yet_is_said_in_words(client, admin):
    assert "No student has a lab yet." in words_of(client.get(LABS))


def test_nothing_found_is_another_sentence(client, admin):
    make_lab("ada")
    assert "No lab is like that." in words_of(client.get(LABS, {"words": "zoe"}))


@pytest.fixture
def four(db):
    """Labs of four people in two classes on two hosts."""
    near, far = Host.objects.create(name="near"), Host.objects.create(name="far")
    ada = make_lab("ada", state="ready", host=near, generation=1)
    bob = make_lab("bob", state="paused", host=far, generation=1)
    cyd = make_lab("cyd", state="failed", reason="No disk left.", last_error="No disk left.")
    dan = make_lab("dan")
    make_sample(ada, memory_bytes=10 * MIB)
    make_sample(bob, memory_bytes=90 * MIB)
    return make_classroom(teacher=make_user("teacher"), students=[ada.owner, dan.owner]), cyd


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"words": "AD"}, ["ada"]),
        ({"words": "disk left"}, ["cyd"]),
        ({"words": "ada disk"}, []),
        ({"state": "started"}, ["ada", "bob"]),
        ({"state": "paused"}, ["bob"]),
        ({"state": "nonsense"}, ["ada", "bob", "cyd", "dan"]),
        ({"host": "far"}, ["bob"]),
        ({"trouble": "on"}, ["cyd"]),
        ({"sort": "-memory"}, ["bob", "ada", "cyd", "dan"]),
        ({"sort": "memory"}, ["ada", "bob", "cyd", "dan"]),
        ({"sort": "-owner"}, ["dan", "cyd", "bob", "ada"]),
        ({"sort": "nonsense; drop"}, ["ada", "bob", "cyd", "dan"]),
        ({"page": "nonsense"}, ["ada", "bob", "cyd", "dan"]),
    ],
)
def test_the_list_is_searched_filtered_and_ordered_by_its_address(
    client, admin, four, query, found
):
    assert owners_in(client.get(LABS, query)) == found


def test_the_labs_of_one_class_are_found(client, admin, four):
    classroom, _ = four
    page = client.get(LABS, {"scope": f"class:{classroom.pk}"})
    assert owners_in(page) == ["ada", "dan"]
    assert element(page, "option", value=f"class:{classroom.pk}").attrs.get("selected") == ""


def test_the_head_of_the_ordered_column_says_so_and_turns_it_round(client, admin, four):
    page = client.get(LABS, {"sort": "-memory", "words": "a"})
    (head,) = [th for th in elements(page, "th") if "aria-sort" in th.attrs]
    assert (head.words, head.attrs["aria-sort"]) == ("Memory", "descending")
    link = next(a for a in elements(page, "a") if a.words == "Memory")
    assert link.attrs["href"] == "?words=a&sort=memory"


def test_how_many_labs_are_in_which_state_stands_on_top_and_leads_there(client, admin, four):
    links = [a for a in elements(client.get(LABS), "a") if a.attrs["href"] == "?state=paused"]
    assert [link.words for link in links] == ["1 paused"]


def test_the_rows_alone_are_what_the_page_asks_for_again_and_ticks_stay(client, admin, four):
    ada = Lab.objects.get(owner__username="ada")
    page = client.get(LABS, {"lab": ada.pk, "state": "started"}, **HTMX)
    assert not elements(page, "html")
    assert element(page, id="lab-rows").attrs["hx-get"] == f"{LABS}?state=started"
    ticked = [box.attrs["value"] for box in elements(page, "input") if "checked" in box.attrs]
    assert ticked == [str(ada.pk)]


def test_a_student_does_not_see_labs_not_even_their_own(client):
    lab = make_lab("ada", state="ready")
    client.force_login(lab.owner)
    page = client.get(LABS)
    assert page.status_code == 403
    assert "Labs are managed by admins." in words_of(page)


def test_staff_without_more_rights_sees_labs_and_no_way_to_the_rest(client):
    client.force_login(make_admin())
    tabs = [
        a.words for a in elements(client.get(LABS), "a") if a.attrs["href"].startswith("/labs/")
    ]
    assert {"Labs", "Queue"} <= set(tabs)
    assert not {"Hosts", "Limits", "Images", "Audit log"} & set(tabs)


def test_a_thousand_labs_come_in_pages_with_as_many_queries_as_two(client, admin):
    host = Host.objects.create(name="local")
    make_finished_run(make_lab("aaa", state="ready", host=host).owner)
    make_lab("aab", state="ready", host=host)
    few = queries_of(client, LABS)
    make_many_labs(998, host)
    assert queries_of(client, LABS) == few <= QUERIES_AT_MOST
    page = client.get(LABS, {"page": 20})
    assert len(owners_in(page)) == 50
    assert "page 20 of 20" in words_of(page)


def make_many_labs(number, host):
    people = get_user_model().objects
    owners = people.bulk_create(people.model(username=f"pupil{n:04}") for n in range(number))
    labs = Lab.objects.bulk_create(Lab(owner=o, host=host, state="ready") for o in owners)
    for lab in labs[:50]:
        make_sample(lab)
        make_finished_run(lab.owner)
