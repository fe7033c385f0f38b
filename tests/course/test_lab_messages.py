"""What an admin tells a student about their lab stands on the lesson until it was read."""

from __future__ import annotations

import pytest
from django.urls import reverse

from labs.admin_requests import note_read, send_message
from labs.lifecycle import lab_of
from labs.models import Lab
from tests.factories import make_admin, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db

LESSON = "/lessons/tiny/"
READ = reverse("labs:message-read")
TEXT = "Labs stop at 3 pm <today>."


@pytest.fixture
def student(client):
    student = make_user("ada")
    client.force_login(student)
    send_message(lab_of(student), text=TEXT, actor=make_admin())
    return student


def test_the_message_stands_on_the_lesson_until_its_reader_says_so(client, student):
    assert TEXT in words_of(client.get(LESSON))
    form = element(client.get(LESSON), "form", action=READ)
    assert form.words == "I have read it"
    response = client.post(READ, {"back": LESSON})
    assert response["Location"] == LESSON
    assert TEXT not in words_of(client.get(LESSON))


def test_with_script_the_message_goes_without_a_new_page(client, student):
    response = client.post(READ, HTTP_HX_REQUEST="true")
    assert (response.status_code, response.content) == (200, b"")
    assert Lab.objects.get().message == ""


def test_other_students_see_nothing_of_it(client, student):
    client.force_login(make_user("bob"))
    page = client.get(LESSON)
    assert not elements(page, id="lab-message")
    assert client.post(READ).status_code == 404
    assert Lab.objects.get(owner=student).message == TEXT


def test_a_newer_message_is_not_taken_for_read(client, student):
    shown = Lab.objects.get()
    send_message(shown, text="Come to room 12.", actor=None)
    note_read(shown)
    assert Lab.objects.get().message == "Come to room 12."


def test_reading_never_leads_to_another_site(client, student):
    assert client.post(READ, {"back": "https://elsewhere.example/"})["Location"] == "/"
