"""Signing up, logging in and out: a name and a passphrase, and back to where one was."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from course.accounts import reset_passphrases
from course.known_devices import COOKIE
from course.log_in_tries import FREE as TRIES
from course.log_in_tries import LONGEST_WAIT_S, forget_tries, take_try, wait_after, wait_s
from course.models import LogInTries, User
from tests.factories import make_classroom, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

LOGIN, LOGOUT, SIGNUP = (reverse(f"account_{name}") for name in ("login", "logout", "signup"))
NEW = {"username": "ada", "password1": "four quiet words here"}
KNOWN = {"login": "ada", "password": "a good passphrase"}


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
        ({"password1": "short"}, "at least 8 characters. Four words are long enough"),
        ({"password1": "password123"}, "Many people use this passphrase"),
        ({"password1": "8362748191"}, "Digits alone are soon guessed"),
        ({"username": "bob"}, "Somebody has this username already"),
        ({"username": "a b"}, "A username begins with a letter or a digit."),
        ({"username": ".."}, "A username begins with a letter or a digit."),
        ({"email": "nowhere"}, "This is no e-mail address"),
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
    assert "do not belong together" in words_of(known)
    assert element(known, role="alert").words == element(unknown, role="alert").words


def test_too_many_tries_lock_this_name_here_for_a_while_and_say_so(client):
    make_user("ada")
    response = try_wrong_passphrase(client, "ada", TRIES)
    assert response.status_code == 429
    assert "Wait 15 seconds, then try again" in words_of(response)
    assert response["Retry-After"] == "15"
    assert client.post(LOGIN, KNOWN).status_code == 429


def test_capital_letters_give_no_more_tries(client):
    make_user("ada")
    for name in ("ada", "Ada", "aDa", "ADA", "adA"):
        response = try_wrong_passphrase(client, name, TRIES // 5)
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


def test_a_classmate_locks_nobody_out_of_a_browser_that_they_were_logged_in_with(client):
    make_user("ada")
    client.post(LOGIN, KNOWN)
    client.post(LOGOUT)
    classmate = Client()
    assert try_wrong_passphrase(classmate, "ada", TRIES).status_code == 429
    assert client.post(LOGIN, KNOWN).status_code == 302


def test_a_browser_that_knows_the_name_gives_no_endless_tries(client):
    make_user("ada")
    client.post(LOGIN, KNOWN)
    client.post(LOGOUT)
    assert try_wrong_passphrase(client, "ada", TRIES).status_code == 429
    assert client.post(LOGIN, KNOWN).status_code == 429


@pytest.mark.parametrize("forged", ["x", "0" * 32 + "-1", "a-b:1abcde:" + "A" * 43, "\\000"])
def test_a_forged_mark_of_a_browser_counts_as_none(client, forged):
    make_user("ada")
    try_wrong_passphrase(client, "ada", TRIES)
    client.cookies[COOKIE] = forged
    assert client.post(LOGIN, KNOWN).status_code == 429


def test_a_browser_knows_the_names_that_were_logged_in_last(client):
    names = [make_user(f"pupil{number}").username for number in range(12)]
    for name in names:
        client.post(LOGIN, KNOWN | {"login": name})
        client.post(LOGOUT)
    for name in (names[0], names[-1]):
        try_wrong_passphrase(Client(), name, TRIES)
    assert client.post(LOGIN, KNOWN | {"login": names[0]}).status_code == 429
    assert client.post(LOGIN, KNOWN | {"login": names[-1]}).status_code == 302


def test_the_wait_grows_to_a_minute_and_no_further():
    waits = [wait_after(number).total_seconds() for number in range(TRIES - 1, TRIES + 4)]
    assert waits == [0, 15, 30, 60, 60]
    assert wait_after(10**6).total_seconds() == LONGEST_WAIT_S


@pytest.mark.core
def test_tries_that_are_sent_together_are_counted_one_by_one():
    assert [take_try("name", "here") for _ in range(TRIES + 1)] == [True] * TRIES + [False]
    assert wait_s("name", "here") > 0
    assert wait_s("name", "elsewhere") == 0
    assert forget_tries("name") == 1


def test_counts_are_forgotten_an_hour_after_the_last_try():
    take_try("name", "here")
    LogInTries.objects.update(next_at=timezone.now() - timedelta(minutes=61))
    take_try("another", "here")
    assert [tries.name for tries in LogInTries.objects.all()] == ["another"]


def test_a_new_passphrase_from_the_teacher_ends_every_wait_of_the_name(client):
    teacher, ada = make_user(), make_user("ada")
    classroom = make_classroom(teacher=teacher, students=[ada])
    User.objects.filter(pk=ada.pk).update(made_in=classroom)
    try_wrong_passphrase(client, "ada", TRIES)
    (card,) = reset_passphrases(classroom, actor=teacher, usernames=["ada"])
    assert client.post(LOGIN, {"login": "ada", "password": card.passphrase}).status_code == 302


def test_nothing_that_was_typed_as_a_name_is_kept(client):
    try_wrong_passphrase(client, "my secret passphrase", 1)
    assert "secret" not in str(LogInTries.objects.values_list())


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
