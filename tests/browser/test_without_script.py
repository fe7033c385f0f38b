"""Without JavaScript, reading, answering and running work by links, buttons and a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import block, output_of, press_run, sign_up
from tests.engine_fixtures import wait_until

OWN_WORDS = "Answer: A cell of a teacher"


@pytest.fixture
def plain(tabs, student):
    page = tabs.open(storage_state=student, java_script_enabled=False)
    page.goto("/lessons/tiny/")
    return page


def reload_until_over(page, block_id, words):
    """Reloads, as a reader would, until the block says how its run ended."""

    def is_over():
        page.goto("/lessons/tiny/")
        return block(page, block_id).get_by_text(words).count()

    wait_until(is_over)


def test_the_save_button_keeps_every_answer(plain):
    plain.get_by_label(OWN_WORDS).fill("two\nlines")
    plain.get_by_label("Answer: A cell with choices").select_option("blue")
    plain.get_by_role("button", name="Save all answers").click()
    expect(plain.get_by_text("All your answers are saved.")).to_be_visible()
    expect(plain.get_by_label(OWN_WORDS)).to_have_value("two\nlines")
    expect(plain.get_by_label("Answer: A cell with choices")).to_have_value("blue")


def test_a_new_student_signs_up_and_is_back_at_the_lesson(tabs):
    page = tabs.open(java_script_enabled=False)
    sign_up(page)
    assert page.url.endswith("/lessons/tiny/")


def test_run_leaves_a_receipt_that_is_there_after_a_reload(plain):
    press_run(plain, "hello")
    assert plain.url.endswith("/lessons/tiny/#block-hello")
    reload_until_over(plain, "hello", "Finished, exit code 0")
    assert output_of(block(plain, "hello")) == "hello from the lab\n"


def test_stop_works_and_leads_to_the_run(plain):
    press_run(plain, "slow").get_by_role("button", name="Stop").click()
    expect(plain.get_by_role("heading", name="A run of")).to_be_visible()
    reload_until_over(plain, "slow", "Stopped")


def test_no_button_is_shown_that_does_nothing(plain):
    expect(plain.get_by_role("button", name="Copy")).to_have_count(0)


def test_the_readers_choices_are_kept_by_their_button(plain):
    plain.locator("summary", has_text="Reading").click()
    plain.get_by_label("Cream").check()
    plain.get_by_role("button", name="Use these").click()
    assert plain.url.endswith("/lessons/tiny/")
    expect(plain.locator("html")).to_have_attribute("data-paper", "cream")
