"""On paper: black on white whatever the screen shows, answers or lines to write on, no buttons."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

OWN_WORDS = "Answer: A cell of a teacher"
BLACK, WHITE = "rgb(0, 0, 0)", "rgb(255, 255, 255)"


@pytest.fixture
def dark(tiny, site):
    """The tiny lesson on dark paper, about to be printed."""
    tiny.context.add_cookies([{"name": "reading", "value": "dark.normal.100", "url": site.url}])
    tiny.goto("/lessons/tiny/")
    tiny.emulate_media(media="print")
    return tiny


def test_a_lesson_prints_dark_on_white_from_dark_paper_too(dark):
    expect(dark.locator("body")).to_have_css("background-color", WHITE)
    for place in ("h1", ".command-text", ".callout", "td"):
        expect(dark.locator(place).first).to_have_css("color", BLACK)


def test_nothing_that_is_pressed_is_printed(dark):
    assert dark.locator("button:visible, nav:visible, summary:visible").count() <= 4
    expect(dark.get_by_role("button", name="Run").first).to_be_hidden()
    expect(dark.locator(".lab-panel")).to_be_hidden()
    expect(dark.locator(".sheet-bar")).to_be_hidden()


def test_a_gap_is_a_line_to_write_on_or_holds_the_answer(dark):
    gap = dark.locator("#gap-own-words-input")
    expect(gap).to_have_css("border-bottom-style", "solid")
    expect(gap).to_have_css("border-top-style", "none")
    dark.get_by_label(OWN_WORDS).fill("my own words")
    expect(gap).to_have_css("color", BLACK)
    assert gap.evaluate("gap => gap.scrollHeight <= gap.clientHeight + 1")


def test_long_output_is_printed_whole(dark):
    dark.locator(".example").evaluate_all("all => all.forEach(one => { one.open = true; })")
    expect(dark.locator(".output").first).to_have_css("max-height", "none")


def test_what_was_handed_in_prints_on_white_from_dark_paper_too(open_as, site):
    page = open_as("student1")
    page.context.add_cookies([{"name": "reading", "value": "dark.normal.100", "url": site.url}])
    page.goto("/hand-ins/1/")
    page.emulate_media(media="print")
    for place in (".handed-in", ".tag-good"):
        expect(page.locator(place).first).to_have_css("background-color", WHITE)
