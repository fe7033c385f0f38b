"""The front page, and what monitors ask."""

from __future__ import annotations

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from labs.models import Host
from tests.factories import make_user
from tests.markup import elements, words_of

HOME = reverse("course:home")


@pytest.mark.django_db
def test_a_visitor_sees_every_lesson_with_its_outcome_and_length(client):
    response = client.get(HOME)
    assert "Free lesson · 5 minutes · 4 commands A tiny lesson" in words_of(response)
    assert "After this lesson: I can make long work safe to stop and resume." in words_of(response)
    assert elements(response, "a", href="/lessons/checkpoints/")


@pytest.mark.django_db
def test_a_visitor_is_asked_to_log_in_or_to_sign_up_and_comes_back(client):
    response = client.get(HOME)
    assert elements(response, "a", href="/accounts/login/?next=/")
    assert elements(response, "a", href="/accounts/signup/?next=/")


def test_a_student_sees_their_name_and_no_page_of_admins(client, django_user_model, db):
    client.force_login(make_user("ada"))
    response = client.get(HOME)
    assert "Lessons To do My classes Aa Reading" in words_of(response)
    assert "ada Log out" in words_of(response)
    assert not elements(response, "a", href="/labs/")


def test_an_admin_finds_the_labs(client, db):
    client.force_login(make_user(is_staff=True))
    assert elements(client.get(HOME), "a", href="/labs/")


@pytest.mark.django_db
def test_the_front_page_cant_be_posted_to(client):
    assert client.post(HOME).status_code == 405


def test_healthz_answers_without_the_database(client):
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_readyz_tells_what_the_workers_last_said(client):
    Host.objects.create(
        name="local", seen_at=timezone.now(), engine_version="20.10", engine_error="too old"
    )
    response = client.get("/readyz")
    assert response.status_code == 200
    (host,) = response.json()["hosts"]
    assert (host["name"], host["engine_version"], host["engine_error"]) == (
        "local",
        "20.10",
        "too old",
    )


def test_readyz_says_so_when_the_database_does_not_answer(client, monkeypatch, django_db_blocker):
    with django_db_blocker.unblock():
        connection.close()
        monkeypatch.setitem(connection.settings_dict, "NAME", "/missing/rows")
        response = client.get("/readyz")
        connection.close()
    assert response.status_code == 503
    assert response.json() == {"status": "the database does not answer"}
