"""The reader's choices: kept in a cookie, rendered by the server, never trusted."""

from __future__ import annotations

import pytest
from django.urls import reverse

from course.preferences import CHOICES, Reading, from_text, reading_from, to_text

URL = reverse("course:reading")


@pytest.mark.parametrize("paper", CHOICES["paper"])
@pytest.mark.parametrize("contrast", CHOICES["contrast"])
@pytest.mark.parametrize("size", CHOICES["size"])
def test_every_choice_survives_the_cookie(paper, contrast, size):
    reading = Reading(paper, contrast, size)
    assert from_text(to_text(reading)) == reading


@pytest.mark.parametrize("text", ["", "nonsense", "cream", '"><script>.high.100', "a.b.c.d.e", "."])
def test_a_cookie_that_makes_no_sense_falls_back_choice_by_choice(text):
    reading = from_text(text)
    assert all(getattr(reading, name) in choices for name, choices in CHOICES.items())


def test_what_is_not_offered_is_not_chosen():
    assert reading_from({"paper": "pink", "size": "125"}) == Reading(size="125")


@pytest.mark.django_db
def test_choices_hold_on_the_next_page_without_an_account(client):
    client.post(URL, {"paper": "cream", "contrast": "high", "size": "150"})
    page = client.get("/").content.decode()
    assert 'data-paper="cream" data-contrast="high" data-size="150"' in page


@pytest.mark.django_db
def test_the_form_leads_back_to_where_it_was_used(client):
    response = client.post(URL, {"paper": "cream", "next": "/classes/"})
    assert response["Location"] == "/classes/"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", ""])
@pytest.mark.django_db
def test_the_form_never_leads_to_another_site(client, elsewhere):
    assert client.post(URL, {"next": elsewhere})["Location"] == "/"
