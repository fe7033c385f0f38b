"""Replays in Chromium: from a receipt to the moment at which its line was typed."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.steps import run_to_the_end, sign_up
from tests.browser.test_terminal import OPEN, expect_shown
from tests.engine_fixtures import wait_until

LINES = "[...document.querySelectorAll('.ap-line')].map(line => line.textContent.trim())"


def replay_of(page, pressed):
    """Goes to where the recording shows this block's run, once it is stored."""

    def is_stored():
        page.goto(way)
        return page.locator("[data-start]").count() == 1

    way = pressed.get_by_role("link", name="See it in the recording").get_attribute("href")
    wait_until(is_stored)


def expect_lines(page, *, before, last):
    """What the player shows: a line from before the jump, and whether the last one has come."""
    page.wait_for_function(
        f"([before, last]) => {LINES}.includes(before) && {LINES}.includes('line 10') === last",
        arg=[before, last],
    )


def test_a_replay_begins_where_the_run_was_typed_goes_on_from_there_and_leads_back(tabs):
    page = tabs.open()
    sign_up(page)
    page.get_by_role("button", name="Terminal", exact=True).click()
    page.wait_for_selector(OPEN)
    expect_shown(page, "$")
    page.get_by_label("Run types its command here").check()
    run_to_the_end(page, "hello")
    replay_of(page, run_to_the_end(page, "slow"))
    expect_lines(page, before="hello from the lab", last=False)
    page.get_by_role("button", name="Play or pause").click()
    expect_lines(page, before="hello from the lab", last=True)
    page.get_by_label("Speed").select_option("8")
    expect_lines(page, before="hello from the lab", last=True)
    wanted = page.locator(".replay-lines [aria-current]")
    expect(wanted).to_contain_text("for i in 1 2 3")
    wanted.get_by_role("link", name="Receipt").click()
    expect(page.get_by_role("link", name="See it in the recording")).to_be_visible()
