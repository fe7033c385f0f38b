"""What was typed survives: a lost connection, an expired log-in, another tab, another device."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import PASSPHRASE, sign_up

OWN_WORDS = "Answer: A cell of a teacher"
STATUS = "#gap-own-words-status"
TINY = "/lessons/tiny/"


@pytest.fixture
def tabs(tabs):
    """Tabs whose consoles may complain of the failures we cause."""
    yield tabs
    tabs.complaints.clear()


@pytest.fixture
def tiny(tabs):
    """The tiny lesson, opened by a student of this test's own."""
    page = tabs.open()
    page.username = sign_up(page)
    return page


def test_what_was_typed_without_a_line_is_there_and_saved_when_the_page_is_opened_again(tiny):
    tiny.route("**/gaps/**", lambda route: route.abort())
    tiny.get_by_label(OWN_WORDS).fill("typed in a tunnel")
    expect(tiny.locator(STATUS)).to_contain_text("Not saved")
    tiny.unroute_all(behavior="ignoreErrors")
    with tiny.expect_response("**/gaps/own-words/"):
        tiny.goto(TINY)
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("typed in a tunnel")
    expect(tiny.locator(STATUS)).to_have_text("saved")
    assert tiny.evaluate("localStorage.length") == 0


def test_what_was_typed_after_the_log_in_ran_out_is_saved_after_the_next(tiny):
    tiny.context.clear_cookies(name="sessionid")
    tiny.get_by_label(OWN_WORDS).fill("typed too late")
    expect(tiny.locator(STATUS)).to_contain_text("you are logged out")
    tiny.goto(f"/accounts/login/?next={TINY}")
    tiny.get_by_label("Username").fill(tiny.username)
    tiny.get_by_label("Passphrase").fill(PASSPHRASE)
    with tiny.expect_response("**/gaps/own-words/"):
        tiny.get_by_role("button", name="Log in").click()
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("typed too late")
    expect(tiny.locator(STATUS)).to_have_text("saved")


def test_nobody_else_at_this_machine_gets_to_see_it(tiny):
    tiny.context.clear_cookies(name="sessionid")
    tiny.get_by_label(OWN_WORDS).fill("mine alone")
    expect(tiny.locator(STATUS)).to_contain_text("you are logged out")
    sign_up(tiny)
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("")


def test_another_tab_shows_what_was_saved_in_this_one(tiny):
    other = tiny.context.new_page()
    other.goto(TINY)
    tiny.get_by_label(OWN_WORDS).fill("once")
    expect(other.get_by_label(OWN_WORDS)).to_have_value("once")
    other.get_by_label(OWN_WORDS).fill("once and twice")
    expect(other.locator(STATUS)).to_have_text("saved")
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("once and twice")


def differ(tiny, tabs):
    """Two devices with different answers, of which the second page learns when it saves."""
    desk = tabs.open(storage_state=tiny.context.storage_state())
    desk.goto(TINY)
    tiny.get_by_label(OWN_WORDS).fill("from the phone")
    expect(tiny.locator(STATUS)).to_have_text("saved")
    desk.get_by_label(OWN_WORDS).fill("from the desk")
    box = desk.locator(".gap-conflict")
    expect(box).to_contain_text("from the phone")
    expect(box).to_contain_text("from the desk")
    return desk, box


def test_where_two_devices_differ_both_are_shown_and_the_typed_one_can_be_kept(tiny, tabs):
    desk, box = differ(tiny, tabs)
    box.get_by_role("button", name="Keep the one typed here").click()
    expect(desk.locator(STATUS)).to_have_text("saved")
    tiny.reload()
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("from the desk")


def test_where_two_devices_differ_the_saved_one_can_be_kept_after_a_reload_too(tiny, tabs):
    desk, box = differ(tiny, tabs)
    desk.reload()
    expect(box).to_contain_text("from the desk")
    box.get_by_role("button", name="Keep the saved one").click()
    expect(desk.get_by_label(OWN_WORDS)).to_have_value("from the phone")
    expect(desk.locator(STATUS)).to_have_text("saved")
    desk.reload()
    expect(box).to_have_count(0)


def test_an_answer_whose_receipt_was_lost_is_no_conflict_with_itself(tiny):
    tiny.route("**/gaps/own-words/", lambda route: (route.fetch(), route.abort()), times=1)
    tiny.get_by_label(OWN_WORDS).fill("sent")
    expect(tiny.locator(STATUS)).to_contain_text("Not saved")
    tiny.get_by_label(OWN_WORDS).fill("sent and more")
    expect(tiny.locator(STATUS)).to_have_text("saved")
    expect(tiny.locator(".gap-conflict")).to_have_count(0)
    tiny.reload()
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("sent and more")
