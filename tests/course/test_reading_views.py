"""The reader's choices: a cookie that every page is rendered by, before and after log-in."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from course.models import User
from tests.factories import make_user
from tests.markup import element, elements

pytestmark = pytest.mark.django_db

READING = reverse("course:reading")
PASSPHRASE = "four quiet words here"
CHOICES = {"paper": "cream", "contrast": "high", "size": "150"}


def choices_of(response):
    html = element(response, "html")
    return {name: html.attrs[f"data-{name}"] for name in CHOICES}


def test_a_choice_holds_on_every_page_in_the_very_html_that_is_served(client):
    client.post(READING, CHOICES)
    for path in ("/", "/lessons/tiny/", "/accounts/login/", "/accounts/signup/", READING, "/no/"):
        assert choices_of(client.get(path)) == CHOICES


def test_a_choice_holds_after_log_in_and_after_log_out(client):
    client.post(READING, CHOICES)
    make_user("ada")
    client.post("/accounts/login/", {"login": "ada", "password": "a good passphrase"})
    assert choices_of(client.get("/classes/")) == CHOICES
    client.post("/accounts/logout/")
    assert choices_of(client.get("/")) == CHOICES


def test_the_form_shows_what_was_chosen(client):
    client.post(READING, CHOICES)
    checked = [e for e in elements(client.get("/"), "input") if "checked" in e.attrs]
    assert {e.attrs["name"]: e.attrs["value"] for e in checked}.items() >= CHOICES.items()


def test_the_form_stands_on_every_page_and_on_a_page_of_its_own(client):
    assert len(elements(client.get("/lessons/tiny/"), "form", class_="reading-form")) == 1
    assert element(client.get(READING), "h1").words == "Easier to read"


def test_a_choice_leads_back_to_the_page_it_was_made_on(client):
    response = client.post(READING, CHOICES | {"next": "/lessons/tiny/?saved"})
    assert response["Location"] == "/lessons/tiny/?saved"


@pytest.mark.parametrize("page", ["/", "/lessons/tiny/"])
def test_a_visitor_is_invited_to_choose(client, page):
    assert "for every page" in element(client.get(page), "a", href=f"{READING}?next={page}").words


def test_whoever_was_invited_finds_the_way_back(client):
    response = client.get(READING, {"next": "/lessons/tiny/"})
    back = element(response, "a", href="/lessons/tiny/")
    assert back.words == "Back to where you came from"
    assert elements(response, "input", name="next", value="/lessons/tiny/")


def test_who_is_logged_in_has_been_invited_before(client):
    client.force_login(make_user())
    assert elements(client.get("/lessons/tiny/"), class_="reading-invite") == []


@pytest.mark.parametrize(
    "elsewhere", ["https://example.org/", "//example.org/", "javascript:alert(1)", ""]
)
def test_a_choice_never_leads_to_another_site(client, elsewhere):
    assert client.post(READING, CHOICES | {"next": elsewhere})["Location"] == "/"
    page = client.get(READING, {"next": elsewhere})
    assert elements(page, "a", href=elsewhere) == []


def test_what_nobody_offers_is_never_put_into_a_page(client):
    client.post(READING, {"paper": '"><script>', "contrast": "high", "size": "999"})
    assert choices_of(client.get("/")) == {"paper": "system", "contrast": "high", "size": "100"}


@pytest.mark.parametrize("cookie", ["", "cream", "a.b.c.d", '"><b>.high.100', "cream.high.150.x"])
def test_a_broken_cookie_is_never_more_than_the_defaults(client, cookie):
    client.cookies["reading"] = cookie
    response = client.get("/")
    assert response.status_code == 200
    assert "<b>.high" not in response.content.decode()


def test_the_cookie_lives_for_a_year_and_stays_on_this_site(client):
    cookie = client.post(READING, CHOICES).cookies["reading"]
    assert cookie["max-age"] > 365 * 24 * 3600
    assert cookie["samesite"] == "Lax"


def test_what_was_chosen_before_sign_up_becomes_the_accounts(client):
    client.post(READING, CHOICES)
    client.post("/accounts/signup/", {"username": "ada", "password1": PASSPHRASE})
    client.cookies.pop("reading")
    assert choices_of(client.get("/")) == CHOICES


def test_an_accounts_choices_follow_it_to_another_browser_and_go_before_its_own(client):
    ada = make_user("ada")
    client.force_login(ada)
    client.post(READING, CHOICES)
    elsewhere = Client()
    elsewhere.post(READING, {"paper": "dark"})
    assert choices_of(elsewhere.get("/"))["paper"] == "dark"
    elsewhere.force_login(ada)
    assert choices_of(elsewhere.get("/")) == CHOICES


def test_an_accounts_choices_are_never_seen_by_whoever_comes_next(client):
    client.post(READING, {"paper": "green"})
    client.force_login(make_user("ada"))
    response = client.post(READING, CHOICES)
    assert "reading" not in response.cookies
    client.post("/accounts/logout/")
    assert choices_of(client.get("/"))["paper"] == "green"
    client.force_login(make_user("ben"))
    assert choices_of(client.get("/"))["paper"] == "green"
    assert User.objects.get(username="ben").reading == ""


def test_a_form_that_sends_one_choice_leaves_the_others(client):
    client.post(READING, CHOICES)
    client.post(READING, {"panel": "hidden"})
    page = client.get("/")
    assert choices_of(page) == CHOICES
    assert element(page, "html").attrs["data-panel"] == "hidden"


def test_the_choices_cost_a_page_no_query_of_their_own(client, django_assert_num_queries):
    client.force_login(make_user("ada"))
    client.post(READING, CHOICES)
    with django_assert_num_queries(2):  # the session and its user
        client.get(READING)


@pytest.mark.django_db
@pytest.mark.parametrize("back", ["account_logout", "no page", "\u0663"])
def test_a_way_back_is_an_address_and_never_the_name_of_a_page(client, back):
    response = client.post("/reading/", {"next": back})
    assert response.status_code == 302
    assert response.url != "/accounts/logout/"
