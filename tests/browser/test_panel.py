"""The panel beside a lesson: hidden when wanted, and a sheet where it has no room."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.chromium import PHONE

TINY = "/lessons/tiny/"


def panel_of(page):
    return page.get_by_role("complementary", name="Your progress and lab")


def test_the_panel_can_be_hidden_for_good_and_shown_again(tabs, student):
    page = tabs.open(storage_state=student)
    page.goto(TINY)
    with page.expect_response("**/reading/"):
        page.get_by_role("button", name="Hide this panel").click()
    expect(panel_of(page)).to_be_hidden()
    page.reload()
    expect(panel_of(page)).to_be_hidden()
    page.get_by_role("button", name="Show contents and lab").click()
    expect(panel_of(page)).to_be_visible()
    expect(page.get_by_role("button", name="Hide this panel")).to_be_focused()


def test_on_a_phone_the_panel_comes_up_as_a_sheet_and_goes_with_escape(tabs, student):
    page = tabs.open(storage_state=student, viewport=PHONE)
    page.goto(TINY)
    bar = page.get_by_role("button", name="Contents and lab")
    expect(bar).to_be_in_viewport()
    expect(bar).to_have_attribute("aria-expanded", "false")
    bar.focus()
    page.keyboard.press("Enter")
    expect(panel_of(page)).to_have_css("position", "fixed")
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    expect(panel_of(page).get_by_role("heading", name="What is left")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(panel_of(page)).to_have_css("position", "static")
    expect(bar).to_be_focused()


def test_a_chapter_chosen_in_the_sheet_closes_it(tabs, student):
    page = tabs.open(storage_state=student, viewport=PHONE)
    page.goto(TINY)
    page.get_by_role("button", name="Contents and lab").click()
    panel_of(page).get_by_role("link", name="Commands").click()
    expect(panel_of(page)).to_have_css("position", "static")
    expect(page.get_by_role("heading", name="Commands", level=2)).to_be_in_viewport()


def test_without_script_the_bar_leads_to_the_panel_below_the_text(tabs, student):
    page = tabs.open(storage_state=student, viewport=PHONE, java_script_enabled=False)
    page.goto(TINY)
    page.get_by_role("link", name="Contents and lab").click()
    expect(panel_of(page).get_by_role("heading", name="What is left")).to_be_in_viewport()
