"""Answers are saved as they are typed, and say so."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.steps import sign_up

OWN_WORDS = "Answer: A cell of a teacher"
KEYED = "Answer: A cell with a key"
CHOICE = "Answer: A cell with choices"


def test_an_answer_is_saved_while_it_is_typed_and_there_after_a_reload(tiny):
    typed = 'two lines\n<b>"and" quotes</b>'
    tiny.get_by_label(OWN_WORDS).fill(typed)
    expect(tiny.locator("#gap-own-words-status")).to_have_text("saved")
    tiny.reload()
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value(typed)


def test_what_was_saved_is_said_by_a_live_region_that_was_there_before(tiny):
    region = tiny.get_by_role("status").filter(has=tiny.locator("#gap-own-words-status"))
    there_before = region.element_handle()
    tiny.get_by_label(OWN_WORDS).fill("said aloud")
    expect(region).to_have_text("saved")
    assert region.evaluate("(now, before) => now === before", there_before)


def test_the_last_of_many_quick_changes_is_what_is_kept(tiny):
    tiny.get_by_label(KEYED).press_sequentially("one two three four", delay=30)
    expect(tiny.locator("#gap-animal-status")).to_have_text("saved")
    tiny.get_by_label(KEYED).press_sequentially(" five")
    with tiny.expect_response("**/gaps/animal/"):
        tiny.get_by_label(KEYED).blur()
    tiny.reload()
    expect(tiny.get_by_label(KEYED)).to_have_value("one two three four five")


def test_a_choice_is_saved_when_it_is_made(tiny):
    tiny.get_by_label(CHOICE).select_option("green")
    expect(tiny.locator("#gap-colour-status")).to_have_text("saved")
    tiny.reload()
    expect(tiny.get_by_label(CHOICE)).to_have_value("green")


def test_what_is_left_follows_each_answer_and_each_emptied_cell(tabs):
    page = tabs.open()
    sign_up(page)
    page.get_by_label(OWN_WORDS).fill("something")
    expect(page.locator("#what-is-left")).to_contain_text("1 of 3 cells filled in")
    page.get_by_label(OWN_WORDS).fill("")
    expect(page.locator("#what-is-left")).to_contain_text("0 of 3 cells filled in")
    page.reload()
    expect(page.get_by_label(OWN_WORDS)).to_have_value("")


def test_no_more_can_be_typed_than_is_kept(tiny):
    tiny.get_by_label(OWN_WORDS).fill("")
    tiny.get_by_label(OWN_WORDS).press_sequentially("x")
    tiny.evaluate("document.activeElement.setRangeText('y'.repeat(1999), 1, 1, 'end')")
    tiny.get_by_label(OWN_WORDS).press_sequentially("zzz")
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("x" + "y" * 1999)
    expect(tiny.locator("#gap-own-words-status")).to_have_text("saved")
