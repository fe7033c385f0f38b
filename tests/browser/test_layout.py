"""What scrolls, what is on which side, and what is large enough on a phone."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.chromium import PHONE, SMALL_PHONE


def test_a_lesson_reads_from_the_right_where_its_language_does(open_as):
    page = open_as("student1")
    page.goto("/lessons/tiny/")
    page.locator("html").evaluate("html => { html.dir = 'rtl'; }")
    panel = page.locator(".lab-panel").bounding_box()
    text = page.locator(".lesson").bounding_box()
    assert panel["x"] + panel["width"] < text["x"]


def test_a_wide_table_scrolls_inside_of_itself(open_as):
    page = open_as("admin", viewport=SMALL_PHONE)
    page.goto("/labs/")
    region = page.get_by_role("region", name="All labs")
    assert region.evaluate("region => region.scrollWidth >= region.clientWidth")
    assert region.get_attribute("tabindex") == "0"


def test_a_table_that_renews_itself_stays_where_it_was_scrolled_to(open_as):
    page = open_as("admin", viewport=SMALL_PHONE)
    page.goto("/labs/")
    region = page.get_by_role("region", name="All labs")
    region.evaluate("region => { region.scrollLeft = 40; }")
    with page.expect_response("**/labs/**"):
        page.wait_for_function("document.querySelector('#lab-rows').dataset.seen = 'yes'")
    expect(page.locator("#lab-rows[data-seen]")).to_have_count(0)
    assert region.evaluate("region => region.scrollLeft") == 40


def test_what_is_pressed_on_a_phone_is_large_enough(open_as):
    page = open_as("student1", viewport=PHONE)
    page.goto("/lessons/tiny/")
    small = page.locator("main button:visible, main textarea, main select").evaluate_all(
        """all => all.map(one => [one.textContent, one.getBoundingClientRect().height])
                     .filter(([name, height]) => height < 40)"""
    )
    assert small == []
