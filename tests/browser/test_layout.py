"""No page is wider than its window: on a phone, on a small one, and at twice the text size."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE, SMALL_PHONE
from tests.browser.pages import PAGES

TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return "";
    const wide = [...document.querySelectorAll("body *")].filter(
        element => element.getBoundingClientRect().right > width + 1
            && !element.parentElement.closest(".table-scroll, .output, pre"));
    return `${document.documentElement.scrollWidth} > ${width}: ` +
        wide.slice(0, 3).map(element => element.outerHTML.slice(0, 80)).join(" | ");
}"""
CASES = ((DESKTOP, "100"), (PHONE, "100"), (SMALL_PHONE, "100"), (DESKTOP, "200"), (PHONE, "200"))


@pytest.mark.parametrize("person", PAGES)
def test_no_page_scrolls_sideways(open_as, work_is_done, person):
    page, found = open_as(person), {}
    for path in (*PAGES[person], work_is_done):
        page.goto(path)
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        for viewport, size in CASES:
            page.set_viewport_size(viewport)
            page.locator("html").evaluate("(html, size) => { html.dataset.size = size; }", size)
            found[path, viewport["width"], size] = page.evaluate(TOO_WIDE)
    assert {where: what for where, what in found.items() if what} == {}


@pytest.mark.parametrize("person", PAGES)
def test_no_page_scrolls_sideways_from_right_to_left_or_widely_spaced(open_as, person):
    page, found = open_as(person, viewport=SMALL_PHONE), {}
    for path in PAGES[person]:
        page.goto(path)
        page.locator("html").evaluate("html => { html.dir = 'rtl'; }")
        found[path, "rtl"] = page.evaluate(TOO_WIDE)
        page.locator("html").evaluate(
            "html => Object.assign(html.dataset, {letters: 'wider', lines: 'wider'})"
        )
        found[path, "spaced"] = page.evaluate(TOO_WIDE)
    assert {where: what for where, what in found.items() if what} == {}


def test_a_lesson_reads_from_the_right_where_its_language_does(open_as):
    page = open_as("student1")
    page.goto("/lessons/tiny/")
    page.locator("html").evaluate("html => { html.dir = 'rtl'; }")
    panel = page.locator(".lab-panel").bounding_box()
    text = page.locator(".lesson").bounding_box()
    assert panel["x"] + panel["width"] < text["x"]


TOO_SMALL = """() => {
    const kinds = ["a[href]", "button", "input:not([type=hidden])", "select", "summary"];
    const pressed = [...kinds, "textarea"].join(", ");
    return [...document.querySelectorAll(pressed)].filter(one => {
        const box = one.getBoundingClientRect();
        if (!one.checkVisibility() || box.width < 2) return false;
        if (one.closest("label")) return false;
        // Within a sentence, WCAG asks for no size.
        const words = [...one.parentElement.childNodes].filter(node => node.nodeType === 3);
        const isInText = one.matches("a") && words.some(node => node.data.trim());
        return !isInText && (box.height < 24 || box.width < 24);
    }).map(one => one.outerHTML.slice(0, 90));
}"""


@pytest.mark.parametrize("person", PAGES)
def test_what_is_pressed_is_at_least_24_pixels_in_each_direction(open_as, person):
    page, found = open_as(person), {}
    for path in PAGES[person]:
        page.goto(path)
        found[path] = page.evaluate(TOO_SMALL)
    assert {where: what for where, what in found.items() if what} == {}


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
