"""The other language, what a command should do, and a hint: as a reader finds them."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE
from tests.browser.steps import block, run_to_the_end


@pytest.fixture
def lesson(tabs, student):
    page = tabs.open(storage_state=student)
    page.goto("/lessons/checkpoints/")
    return page


@pytest.mark.parametrize("has_script", [True, False], ids=["with script", "without script"])
def test_a_reader_switches_to_python_and_finds_it_again(tabs, has_script):
    page = tabs.open(java_script_enabled=has_script)
    page.goto("/lessons/checkpoints/")
    page.get_by_role("button", name="Python").click()
    expect(page.get_by_role("button", name="Python", pressed=True)).to_be_visible()
    expect(block(page, "crash-python")).to_be_visible()
    expect(block(page, "crash")).to_have_count(0)
    page.goto("/")
    expect(page.get_by_text("60 minutes · 6 commands")).to_be_visible()


def test_when_a_run_has_ended_its_files_are_checked_without_a_reload(lesson):
    shown = run_to_the_end(lesson, "write-record")
    ticks = shown.get_by_role("listitem")
    expect(ticks).to_have_text(
        [
            "✓ Yes: ends with exit code 0",
            "✓ Yes: file record.js exists",
            "✓ Yes: prints record.js",
        ]
    )
    expect(shown.get_by_text("Same as the example.")).to_be_visible()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_a_difference_is_shown_on_every_screen_and_breaks_no_rule(tabs, student, viewport):
    page = tabs.open(storage_state=student, viewport=viewport)
    page.goto("/lessons/checkpoints/")
    shown = run_to_the_end(page, "resume")
    shown.get_by_text("Differs from the example").click()
    expect(shown.get_by_label("Differences from the example")).to_contain_text("Missing: ")
    expect(shown.get_by_text("No: ends with exit code 0")).to_be_visible()
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_hint_is_there_for_those_who_ask(tiny):
    expect(tiny.get_by_text("It is small and it smiles.")).to_be_hidden()
    tiny.get_by_text("Hint: Answer: A cell with a key").click()
    expect(tiny.get_by_text("It is small and it smiles.")).to_be_visible()
