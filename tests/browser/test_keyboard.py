"""Everything with the keyboard alone: to the text, into a cell, Run, Stop, and focus that stays."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.chromium import PHONE
from tests.browser.steps import block, expect_over


def press_tab_until(page, locator, at_most=80):
    for _ in range(at_most):
        page.keyboard.press("Tab")
        if locator.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("it can't be reached with Tab")


def expect_visible_focus(locator):
    expect(locator).to_be_focused()
    expect(locator).to_have_css("outline-style", "solid")
    expect(locator).to_have_css("outline-width", "3px")
    expect(locator).to_be_in_viewport()


def test_the_first_tab_leads_past_the_header_to_the_text(tiny):
    tiny.keyboard.press("Tab")
    skip = tiny.get_by_role("link", name="Skip to the text")
    expect_visible_focus(skip)
    tiny.keyboard.press("Enter")
    expect(tiny.locator("#main")).to_be_focused()
    tiny.keyboard.press("Tab")
    assert tiny.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_a_student_answers_runs_and_stops_with_the_keyboard_alone(tiny):
    answer = tiny.get_by_label("Answer: A cell of a teacher")
    press_tab_until(tiny, answer)
    expect_visible_focus(answer)
    tiny.keyboard.type("by keyboard")
    expect(tiny.locator("#gap-own-words-status")).to_have_text("saved")

    shown = block(tiny, "slow")
    press_tab_until(tiny, shown.get_by_role("button", name="Run"))
    tiny.keyboard.press("Enter")
    expect(shown.locator("[data-run-output]")).to_contain_text("line 1")
    expect_visible_focus(shown.get_by_role("button", name="Stop"))
    tiny.keyboard.press("Enter")
    expect(shown.locator(".run-state")).to_have_text("Stopped")
    expect_visible_focus(shown.get_by_role("button", name="Run"))


def test_focus_stays_on_the_button_when_a_run_ends_by_itself(tiny):
    shown = block(tiny, "hello")
    shown.get_by_role("button", name="Run").focus()
    tiny.keyboard.press("Enter")
    expect_over(shown)
    expect(shown.get_by_role("button", name="Run")).to_be_focused()


def test_run_stays_under_the_finger_though_its_command_is_taller_than_the_window(tabs, student):
    page = tabs.open(storage_state=student, viewport=PHONE)
    page.goto("/lessons/checkpoints/")
    shown = block(page, "write-record")
    button = shown.locator("#run-write-record")
    button.focus()
    before = button.evaluate("button => button.getBoundingClientRect().top")
    page.keyboard.press("Enter")
    expect_over(shown)
    expect(shown.get_by_text("Same as the example.")).to_be_visible()
    after = button.evaluate("button => button.getBoundingClientRect().top")
    assert abs(after - before) < 2


def test_who_has_moved_on_is_not_pulled_back_when_a_run_ends(tiny):
    shown = block(tiny, "slow")
    shown.get_by_role("button", name="Run").click()
    expect(shown.get_by_role("button", name="Stop")).to_be_visible()
    answer = tiny.get_by_label("Answer: A cell with a key")
    answer.focus()
    expect_over(shown)
    expect(answer).to_be_focused()


def test_long_output_can_be_scrolled_with_the_keyboard(tiny):
    for output in tiny.locator("pre").all():
        assert output.get_attribute("tabindex") == "0"
