"""Run, as a student sees it: output as it comes, exit codes, Stop, reloads and second tabs."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from course.library import get_lesson
from tests.browser.steps import block, expect_over, output_of, press_run, run_to_the_end

COUNTED = "".join(f"line {number}\n" for number in range(1, 11))


def expect_line(shown, number):
    expect(shown.locator("[data-run-output]")).to_contain_text(f"line {number}\n")


def test_the_lessons_four_commands_give_its_example_outputs_and_exit_codes(tabs, student):
    page = tabs.open(storage_state=student)
    page.goto("/lessons/checkpoints/")
    for block_id, expected in get_lesson("checkpoints").for_track("node").blocks.items():
        shown = run_to_the_end(page, block_id)
        expect(shown.locator(".run-state")).to_have_text(
            f"Finished, exit code {expected.exit_code}"
        )
        assert output_of(shown) == f"{expected.example.text}\n"
    expect(page.locator("#what-is-left")).to_contain_text("4 of 4 commands run")
    expect(page.locator("#what-is-left")).to_contain_text("Your lab: ready")


def test_output_arrives_while_the_run_runs(tiny):
    shown = press_run(tiny, "slow")
    expect_line(shown, 1)
    expect(shown.get_by_role("button", name="Stop")).to_be_visible()
    assert "line 10" not in output_of(shown)
    expect_over(shown)
    assert output_of(shown) == COUNTED


def test_a_reload_in_the_middle_goes_on_without_a_gap_or_a_line_twice(tiny):
    expect_line(press_run(tiny, "slow"), 2)
    tiny.reload()
    shown = block(tiny, "slow")
    assert output_of(shown).startswith("line 1\nline 2\n")
    expect(shown.get_by_role("button", name="Stop")).to_be_visible()
    expect_over(shown)
    assert output_of(shown) == COUNTED


def test_stop_ends_the_run_and_keeps_what_it_wrote(tiny):
    shown = press_run(tiny, "slow")
    expect_line(shown, 1)
    shown.get_by_role("button", name="Stop").click()
    expect(shown.locator(".run-state")).to_have_text("Stopped")
    expect(shown.get_by_role("button", name="Run")).to_be_enabled()
    assert output_of(shown).startswith("line 1\n")
    assert "line 10" not in output_of(shown)


def test_a_second_tab_is_refused_in_words_while_one_runs_and_works_afterwards(tiny):
    shown = press_run(tiny, "slow")
    expect_line(shown, 1)
    second = tiny.context.new_page()
    second.goto("/lessons/tiny/")
    refused = block(second, "hello")
    refused.get_by_role("button", name="Run").click()
    expect(refused.get_by_role("alert")).to_contain_text("Another command is still running")
    expect_over(shown)
    expect(run_to_the_end(second, "hello")).to_contain_text("hello from the lab")
    expect(refused.get_by_role("alert")).to_have_count(0)


def test_a_second_tab_follows_the_run_that_the_first_started(tiny):
    press_run(tiny, "slow")
    second = tiny.context.new_page()
    second.goto("/lessons/tiny/")
    expect_over(block(second, "slow"))
    assert output_of(block(second, "slow")) == COUNTED


def test_a_double_press_is_one_run(tiny):
    button = block(tiny, "colours").get_by_role("button", name="Run")
    button.dblclick()
    expect_over(block(tiny, "colours"))
    block(tiny, "colours").get_by_role("link", name="Every run of this command").click()
    expect(tiny.locator(".run-list > li")).to_have_count(1)


def test_colours_are_shown_and_markup_is_not(tiny):
    shown = run_to_the_end(tiny, "colours")
    expect(shown.get_by_text("red", exact=True)).to_have_css("color", "rgb(163, 35, 28)")
    expect(shown.get_by_text("bold green", exact=True)).to_have_css("font-weight", "700")
    assert output_of(shown) == "red bold green <b>not markup</b>\n"


def test_what_goes_wrong_is_a_result_with_its_exit_code_and_error_output(tiny):
    shown = run_to_the_end(tiny, "fails")
    expect(shown.locator(".run-state")).to_have_text("Finished, exit code 1")
    expect(shown.locator(".output-stderr")).to_have_text("Error output: it went wrong\n")


def test_copied_output_holds_no_words_for_screen_readers(tiny):
    shown = run_to_the_end(tiny, "fails").locator("[data-run-output]")
    shown.evaluate("output => getSelection().selectAllChildren(output)")
    assert tiny.evaluate("getSelection().toString().trim()") == "it went wrong"


def test_the_output_comes_as_a_file(tiny):
    shown = run_to_the_end(tiny, "hello")
    with tiny.expect_download() as download:
        shown.get_by_role("link", name="Output as text").click()
    assert download.value.path().read_bytes() == b"hello from the lab\n"
    assert download.value.suggested_filename.startswith("run-")


@pytest.mark.parametrize("block_id", ["hello", "slow"])
def test_the_state_is_announced_and_the_output_is_not_read_line_by_line(tiny, block_id):
    shown = run_to_the_end(tiny, block_id)
    expect(shown.get_by_role("status")).to_have_text("Finished, exit code 0")
    assert shown.locator("[data-run-output]").get_attribute("aria-live") is None
