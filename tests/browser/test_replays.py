"""Replays in Chromium: from a receipt to the moment at which its line was typed."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.steps import run_to_the_end, sign_up
from tests.browser.test_terminal import OPEN, expect_shown, type_line
from tests.engine_fixtures import wait_until

LINES = "[...document.querySelectorAll('.ap-line')].map(line => line.textContent.trim())"
OUTPUTS = f"{LINES}.filter(line => line === 'hello from the lab').length"


def replay_of(page, hello):
    """Goes to where the recording shows this block's run, once it is stored."""

    def is_stored():
        page.goto(way)
        return page.locator("[data-start]").count() == 1

    way = hello.get_by_role("link", name="See it in the recording").get_attribute("href")
    wait_until(is_stored)


def test_a_replay_begins_where_the_run_was_typed_goes_on_from_there_and_leads_back(tabs):
    page = tabs.open()
    sign_up(page)
    page.get_by_role("button", name="Terminal", exact=True).click()
    page.wait_for_selector(OPEN)
    page.get_by_label("Run types its command here").check()
    run_to_the_end(page, "hello")
    type_line(page, "sleep 3; echo pau''sed")
    expect_shown(page, "paused")
    replay_of(page, run_to_the_end(page, "hello"))
    page.wait_for_function(f"() => {OUTPUTS} === 1")
    page.get_by_role("button", name="Play or pause").click()
    page.wait_for_function(f"() => {OUTPUTS} === 2")
    page.get_by_label("Speed").select_option("8")
    page.wait_for_function(f"() => {OUTPUTS} === 2")
    wanted = page.locator(".replay-lines [aria-current]")
    expect(wanted).to_contain_text("docker exec agent echo hello from the lab")
    wanted.get_by_role("link", name="Receipt").click()
    expect(page.get_by_role("link", name="See it in the recording")).to_be_visible()
