"""What holds on all pages: errors said in words, and nothing of the guide for students."""

from __future__ import annotations

import re

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.utils.html import strip_tags

from course.lessons.model import Gap, Html
from course.library import list_lessons
from tests.markup import element, words_of
from tests.site_walk import SENT, all_addresses, make_world

pytestmark = pytest.mark.django_db

WORDS_OF_A_SENTENCE = 5
CHOICES = {"paper": "dark", "contrast": "high", "size": "150"}


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a bug of ours")


urlpatterns = [path("broken/", broken), path("", include("config.urls"))]


def test_a_page_that_is_not_there_says_so_in_the_readers_own_colours(client):
    client.post("/reading/", CHOICES)
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here" in words_of(response)
    assert element(response, "html").attrs["data-paper"] == "dark"


def test_a_form_from_before_log_in_is_refused_in_words_and_in_the_readers_own_colours(client):
    client.post("/reading/", CHOICES)
    client.handler.enforce_csrf_checks = True
    response = client.post("/reading/", CHOICES)
    assert response.status_code == 403
    assert "This page was too old" in words_of(response)
    assert element(response, "html").attrs["data-paper"] == "dark"


@pytest.mark.urls(__name__)
def test_a_bug_of_ours_is_a_sentence_and_never_a_trace(client):
    client.raise_request_exception = False
    response = client.get("/broken/")
    assert response.status_code == 500
    assert "Something broke on our side" in words_of(response)
    assert "a bug of ours" not in words_of(response)


def test_a_body_that_is_too_large_is_refused_in_words(client):
    response = client.post("/reading/", {"paper": "x" * 1_100_000})
    assert response.status_code == 400
    assert "too large or damaged, so nothing was changed" in words_of(response)


@pytest.mark.parametrize("slug", [lesson.slug for lesson in list_lessons()])
def test_nothing_of_the_guide_and_no_key_ever_reaches_a_student(slug):
    (lesson,) = [lesson for lesson in list_lessons() if lesson.slug == slug]
    secrets = secrets_of(lesson)
    said = everything_said_to_a_student(lesson)
    assert len(secrets) > 2
    assert [secret for secret in secrets if secret in said] == []


def secrets_of(lesson):
    """Sentences of the guide, samples and keys, as far as the lesson itself doesn't say them."""
    sentences = re.split(r"[.!?:]\s", one_line(strip_tags(lesson.guide_html)))
    long = [sentence for sentence in sentences if sentence.count(" ") >= WORDS_OF_A_SENTENCE]
    keys = [key for gap in lesson.gaps.values() for key in (*gap.accept, gap.pattern, gap.sample)]
    shown = one_line(" ".join(text_of(part) for part in lesson.parts()))
    return [secret for secret in (*long, *keys) if secret and secret not in shown]


def text_of(part):
    """What the page shows of it."""
    match part:
        case Html():
            return strip_tags(part.html)
        case Gap():
            return " ".join([part.label, *part.choices])
    return f"{part.title} {part.command}"


def everything_said_to_a_student(lesson):
    world = make_world()
    client = world.client("owner")
    known = {
        "slug": lesson.slug,
        "block_id": next(iter(lesson.blocks)),
        "gap_id": next(iter(lesson.gaps)),
    }
    said = []
    for name, parameters in all_addresses().items():
        address = world.address(name, parameters, **known)
        for headers in ({}, {"HTTP_HX_REQUEST": "true"}):
            said.append(client.get(address, **headers))
            said.append(client.post(address, SENT.get(name, {}), **headers))
            client.force_login(world.people["owner"])
    for track in lesson.tracks:
        client.cookies["track"] = track.id
        said.append(client.get(f"/lessons/{lesson.slug}/"))
    texts = [r.content.decode() for r in said if not r.streaming]
    return one_line(strip_tags(" ".join(texts))) + one_line(" ".join(texts))


def one_line(text):
    return " ".join(text.split())


def test_no_cache_that_people_share_keeps_a_page():
    world = make_world()
    client = world.client("owner")
    addresses = all_addresses()
    said = {
        name: client.get(world.address(name, addresses[name])).headers["Cache-Control"]
        for name in addresses
        if name.startswith(("course:", "labs:"))
    }
    shared = [
        name for name, words in said.items() if not words.startswith(("private", "max-age=0"))
    ]
    assert shared == ["course:lesson-file"]
