"""Signing up, logging in and out: a name and a passphrase, and back to where one was."""

from __future__ import annotations

import pytest
from django.core import mail
from django.urls import reverse

from course.models import User
from tests.factories import make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

LOGIN, LOGOUT, SIGNUP = (reverse(f"account_{name}") for name in ("login", "logout", "signup"))
NEW = {"username": "ada", "password1": "four quiet words here"}
KNOWN = {"login": "ada", "password": "a good passphrase"}
TRIES = 8


def errors_of(response):
    return " ".join(e.words for e in elements(response, "ul", class_="errorlist"))


def try_wrong_passphrase(client, username, times):
    return [
        client.post(LOGIN, {"login": username, "password": f"wrong {number}"})
        for number in range(times)
    ][-1]


def test_a_name_and_a_passphrase_are_enough_and_the_reader_is_back_at_the_command(client):
    back = "/lessons/tiny/#block-hello"
    page = client.get(SIGNUP, {"next": back})
    assert back in [field.attrs["value"] for field in elements(page, "input", name="next")]
    response = client.post(SIGNUP, NEW | {"next": back})
    assert response["Location"] == back
    assert User.objects.get().username == "ada"
    assert "ada Log out" in words_of(client.get("/"))


def test_the_form_asks_for_no_more_and_says_what_may_be_left_empty(client):
    page = client.get(SIGNUP)
    labels = [label.words for label in elements(page, "label") if "for" in label.attrs]
    assert labels == ["Username", "Passphrase", "E-mail (you may leave it empty)"]
    asked = [field.attrs["name"] for field in elements(page, "input") if "required" in field.attrs]
    assert asked == ["username", "password1"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"password1": "short"}, "at least 8 characters"),
        ({"password1": "password123"}, "too common"),
        ({"password1": "8362748191"}, "entirely numeric"),
        ({"username": "bob"}, "already exists"),
        ({"username": "a b"}, "A username begins with a letter or a digit."),
        ({"username": ".."}, "A username begins with a letter or a digit."),
        ({"email": "nowhere"}, "Enter a valid email address"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_new_account_is_said_in_words(client, changed, words):
    make_user("bob")
    response = client.post(SIGNUP, NEW | changed)
    assert response.status_code == 200
    assert words in errors_of(response)
    assert User.objects.count() == 1


def test_an_address_that_another_has_is_refused_and_nobody_gets_mail(client):
    client.post(SIGNUP, NEW | {"email": "ada@example.org"})
    client.post(LOGOUT)
    client.post(SIGNUP, NEW | {"username": "eve", "email": "ada@example.org"})
    assert mail.outbox == []


def test_log_in_leads_back_and_does_not_mind_capital_letters_in_the_name(client):
    make_user("ada")
    response = client.post(LOGIN, KNOWN | {"login": "Ada", "next": "/lessons/tiny/#block-slow"})
    assert response["Location"] == "/lessons/tiny/#block-slow"


@pytest.mark.parametrize("path", [LOGIN, SIGNUP])
@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org", "javascript:x()"])
def test_nobody_is_led_to_another_site(client, path, elsewhere):
    make_user("ada")
    response = client.post(path, KNOWN | NEW | {"username": "new", "next": elsewhere})
    assert response["Location"] == "/"


def test_a_wrong_passphrase_is_said_without_saying_whether_the_name_exists(client):
    make_user("ada")
    known, unknown = (try_wrong_passphrase(client, name, 1) for name in ("ada", "nobody"))
    assert "not correct" in words_of(known)
    assert element(known, role="alert").words == element(unknown, role="alert").words


def test_too_many_tries_lock_this_name_here_for_a_while_and_say_so(client):
    make_user("ada")
    response = try_wrong_passphrase(client, "ada", TRIES)
    assert response.status_code == 429
    assert "Wait a quarter of an hour" in words_of(response)
    assert client.post(LOGIN, KNOWN).status_code == 429


def test_capital_letters_give_no_more_tries(client):
    make_user("ada")
    for name in ("ada", "Ada", "aDa", "ADA"):
        response = try_wrong_passphrase(client, name, TRIES // 4)
    assert response.status_code == 429
    assert client.post(LOGIN, KNOWN).status_code == 429


def test_the_door_of_djangos_admin_is_watched_as_well(client):
    make_user("ada", is_staff=True)
    door = reverse("admin:login")
    for number in range(TRIES):
        client.post(door, {"username": "ada", "password": f"wrong {number}"})
    right = client.post(door, {"username": "ada", "password": "a good passphrase"})
    assert right.status_code == 429


def test_log_in_starts_the_count_anew(client):
    make_user("ada")
    for _ in range(2):
        try_wrong_passphrase(client, "ada", TRIES - 1)
        assert client.post(LOGIN, KNOWN).status_code == 302
        client.post(LOGOUT)


def test_a_school_behind_one_address_is_not_locked_out_with_one_pupil(client):
    make_user("ada")
    make_user("bob")
    try_wrong_passphrase(client, "bob", TRIES)
    assert try_wrong_passphrase(client, "ada", 1).status_code == 200
    assert client.post(LOGIN, KNOWN).status_code == 302


def test_the_log_in_page_promises_no_mail(client):
    page = client.get(LOGIN)
    assert "Your teacher can get you a new one." in words_of(page)
    assert not [a for a in elements(page, "a") if "password" in a.attrs["href"]]


def test_log_out_asks_first_when_it_is_only_a_link(client):
    client.force_login(make_user("ada"))
    page = client.get(LOGOUT)
    assert "Your answers and your lab's files are kept." in words_of(page)
    assert "ada" in words_of(page)
    assert client.post(LOGOUT)["Location"] == "/"
    assert "Log in" in words_of(client.get("/"))


def test_somebody_whose_account_was_closed_is_told_so(client):
    make_user("ada", is_active=False)
    response = client.post(LOGIN, KNOWN, follow=True)
    assert response.status_code == 200
    assert "Log out" not in words_of(response)
