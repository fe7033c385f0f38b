"""What did not go through is never shown as done: it is said beside what was typed or pressed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import block

OWN_WORDS = "Answer: A cell of a teacher"


@pytest.fixture
def tiny(tabs, tiny):
    """The tiny lesson in a browser whose console may complain of the failures we cause."""
    yield tiny
    tabs.complaints.clear()


def status_of_cell(page):
    return page.locator("#gap-own-words-status")


def test_saved_is_said_only_while_it_is_true(tiny):
    tiny.get_by_label(OWN_WORDS).fill("kept")
    expect(status_of_cell(tiny)).to_have_text("saved")
    tiny.route("**/gaps/own-words/", lambda route: None)
    tiny.get_by_label(OWN_WORDS).press_sequentially(" not kept")
    expect(status_of_cell(tiny)).to_have_text("")
    tiny.unroute_all(behavior="ignoreErrors")


def test_an_answer_that_finds_no_site_says_so_and_is_saved_when_the_line_is_back(tiny):
    tiny.context.set_offline(True)
    tiny.get_by_label(OWN_WORDS).fill("typed in a tunnel")
    expect(status_of_cell(tiny)).to_contain_text("Not saved: the site does not answer.")
    tiny.context.set_offline(False)
    expect(status_of_cell(tiny)).to_have_text("saved")
    tiny.reload()
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("typed in a tunnel")


def test_who_was_logged_out_elsewhere_is_told_and_sees_no_log_in_page_in_a_table(tiny):
    tiny.context.clear_cookies(name="sessionid")
    tiny.get_by_label(OWN_WORDS).fill("nobody's")
    expect(status_of_cell(tiny)).to_contain_text("Not saved: you are logged out.")
    block(tiny, "hello").get_by_role("button", name="Run").click()
    expect(block(tiny, "hello").get_by_role("alert")).to_contain_text("you are logged out")
    expect(tiny.get_by_role("heading", name="Log in")).to_have_count(0)


def test_a_page_from_before_another_log_in_says_that_it_is_too_old(tiny):
    tiny.context.clear_cookies(name="csrftoken")
    block(tiny, "hello").get_by_role("button", name="Run").click()
    expect(block(tiny, "hello").get_by_role("alert")).to_have_text(
        "Nothing was done: this page was too old. It is renewed now, so try again."
    )
    tiny.get_by_label(OWN_WORDS).fill("x")
    expect(status_of_cell(tiny)).to_have_text("saved")
