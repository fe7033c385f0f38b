"""What a visitor sees of a lesson, and how they come to press Run in it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE
from tests.browser.steps import block, fill_in_sign_up, run_to_the_end


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_a_visitor_reads_the_lesson_and_can_neither_fill_in_nor_run(tabs, viewport):
    page = tabs.open(viewport=viewport)
    page.goto("/")
    page.get_by_role("link", name="Checkpoints for long-running agent work").click()
    expect(page.get_by_text("This is a preview.")).to_be_visible()
    expect(page.get_by_label("Example: Checkpoint")).to_be_disabled()
    expect(page.get_by_role("button", name="Run")).to_have_count(0)
    expect(page.get_by_text("Shown here, not run.")).to_have_count(4)
    expect(block(page, "crash").get_by_text("node batch1.js A3")).to_be_visible()


def test_a_visitor_opens_one_possible_output(tabs):
    page = tabs.open()
    page.goto("/lessons/checkpoints/")
    shown = block(page, "resume").get_by_label("One possible output")
    expect(shown).to_be_hidden()
    block(page, "resume").get_by_text("One possible output").click()
    expect(shown).to_contain_text("A3: already charged, not charging again")


def test_a_new_student_is_back_at_the_command_they_wanted_to_run_and_runs_it(tabs):
    page = tabs.open()
    page.goto("/lessons/tiny/")
    block(page, "hello").get_by_role("link", name="Create a free account").click()
    fill_in_sign_up(page)
    assert page.url.endswith("/lessons/tiny/#block-hello")
    expect(block(page, "hello")).to_be_in_viewport()
    expect(page.get_by_text("This is a preview.")).to_have_count(0)
    expect(run_to_the_end(page, "hello")).to_contain_text("hello from the lab")


def test_a_command_is_copied_as_it_stands(tabs):
    page = tabs.open(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/lessons/checkpoints/")
    block(page, "write-record").get_by_role("button", name="Copy").click()
    expect(block(page, "write-record").get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith('docker exec -w /home/node/project agent sh -c "cat > record.js')
    assert copied.endswith('END\nwc -l record.js"')
    assert len(copied.splitlines()) == 30
