"""A first visit is small: few requests, few bytes, and everything but the page kept for good."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.pages import LESSON

MOST_BYTES = 150 * 1024
MOST_REQUESTS = 24
TERMINAL = ("xterm", "asciinema")


def visit(page):
    """Every answer that the lesson's first visit takes, once all of it is there."""
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(LESSON, wait_until="networkidle")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return answers


def bytes_of(answer):
    sizes = answer.request.sizes()
    return sizes["responseHeadersSize"] + sizes["responseBodySize"]


@pytest.mark.parametrize("person", ["visitor", "student1"])
def test_a_lessons_first_visit_is_small(open_as, person):
    answers = visit(open_as(person))
    assert len(answers) <= MOST_REQUESTS
    assert sum(map(bytes_of, answers)) <= MOST_BYTES


def test_nothing_of_the_terminal_is_fetched_before_it_is_opened(open_as):
    addresses = [answer.url for answer in visit(open_as("student1"))]
    assert [url for url in addresses if any(word in url for word in TERMINAL)] == []


def test_all_but_the_page_is_hashed_compressed_and_kept_for_good(open_as):
    page, *files = visit(open_as("visitor"))
    assert page.headers.get("cache-control", "private") in ("private", "private, no-cache")
    kept = [file.headers.get("cache-control", "") for file in files]
    assert [words for words in kept if "immutable" not in words] == []
    large = [file for file in files if int(file.headers.get("content-length", "0")) > 4000]
    assert {file.headers.get("content-encoding") for file in large} <= {"gzip", "br"}


def test_a_second_page_fetches_only_itself(open_as):
    page = open_as("visitor")
    visit(page)
    fetched = []
    page.on("response", lambda answer: fetched.append(answer.request))
    page.goto("/accounts/login/", wait_until="networkidle")
    over_the_line = [r.url for r in fetched if r.sizes()["responseBodySize"] > 0]
    assert len(over_the_line) == 1
