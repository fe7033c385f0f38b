"""The reader's choices: at once, on every page, in the HTML that is served, and for good."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.pages import ALL, PAGES

CHOSEN = {"data-paper": "cream", "data-contrast": "high", "data-size": "150"}


def choose(page):
    page.locator("summary", has_text="Reading").click()
    for label in ("Cream", "High"):
        page.get_by_label(label).check()
    with page.expect_response(lambda response: "150" in (response.request.post_data or "")):
        page.get_by_label("150 %").check()


def expect_chosen(page):
    for name, value in CHOSEN.items():
        expect(page.locator("html")).to_have_attribute(name, value)


def test_a_choice_shows_at_once_and_stays_after_a_reload_and_a_log_in(tabs):
    page = tabs.open()
    page.goto("/")
    choose(page)
    expect_chosen(page)
    expect(page.locator("body")).to_have_css("background-color", "rgb(251, 245, 230)")
    expect(page.locator("body")).to_have_css("font-size", "25.5px")
    page.reload()
    expect_chosen(page)


def test_a_choice_stands_in_the_html_of_every_page_so_that_none_flashes(names, open_as, site):
    opened = {person: open_as(person) for person in PAGES}
    for page in opened.values():
        page.context.add_cookies([{"name": "reading", "value": "cream.high.150", "url": site.url}])
    wanted = " ".join(f'{name}="{value}"' for name, value in CHOSEN.items())
    without = [
        (person, path)
        for person, path in ALL
        if f'<html lang="en" {wanted} '
        not in opened[person].request.get(path.format_map(names)).text()
    ]
    assert without == []


def test_the_form_works_with_the_keyboard_alone_and_closes_with_escape(tabs):
    page = tabs.open()
    page.goto("/")
    summary = page.locator("summary", has_text="Reading")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("group", name="Paper").get_by_label("As my system")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("html")).to_have_attribute("data-paper", "cream")
    page.keyboard.press("Escape")
    expect(page.get_by_label("White")).to_be_hidden()
    expect(summary).to_be_focused()


@pytest.mark.parametrize("width", [390, 320])
def test_the_form_fits_on_a_phone(tabs, width):
    page = tabs.open(viewport={"width": width, "height": 700})
    page.goto("/")
    page.locator("summary", has_text="Reading").click()
    box = page.locator(".reading-form").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_fonts_spaces_and_motion_show_at_once_and_a_font_is_fetched_only_when_it_is_chosen(tabs):
    page = tabs.open()
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto("/")
    assert [url for url in fetched if ".woff2" in url] == []
    page.locator("summary", has_text="Reading").click()
    with page.expect_response(lambda response: "atkinson" in response.url):
        page.get_by_label("Atkinson Hyperlegible").check()
    page.get_by_role("group", name="Space between lines").get_by_label("Wider").check()
    page.get_by_role("group", name="Space between letters").get_by_label("Wide", exact=True).check()
    page.get_by_label("Less").check()
    page.keyboard.press("Escape")
    body = page.locator("body")
    assert "Atkinson" in body.evaluate("body => getComputedStyle(body).fontFamily")
    expect(body).to_have_css("letter-spacing", "0.68px")
    expect(body).to_have_css("line-height", "36.55px")
    assert [url for url in fetched if "opendyslexic" in url] == []


def test_another_language_is_there_after_one_press(tabs):
    page = tabs.open()
    page.goto("/")
    page.locator("summary", has_text="Reading").click()
    page.get_by_label("Deutsch").check()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("link", name="Anmelden")).to_be_visible()


def test_a_dark_system_makes_a_dark_page_without_any_choice(tabs):
    page = tabs.open(color_scheme="dark")
    page.goto("/")
    expect(page.locator("body")).to_have_css("background-color", "rgb(22, 27, 34)")


def test_choices_of_an_account_leave_with_the_log_out(open_as):
    page = open_as("student2")
    page.goto("/")
    page.locator("summary", has_text="Reading").click()
    with page.expect_response("**/reading/"):
        page.get_by_label("Peach").check()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-paper", "peach")
    page.context.clear_cookies(name="sessionid")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-paper", "system")
