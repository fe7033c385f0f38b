"""An author writes beside the open preview."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.served import OWN_LESSONS
from tests.course.lessons.writing import HEADER

SLUG = "small"
TALL = "\n\n".join(f"Paragraph {number}." for number in range(80))


@pytest.fixture
def lesson_file(site):
    folder = Path(site.env["VAR_DIR"], OWN_LESSONS, SLUG)
    folder.mkdir()
    yield folder / "lesson.md"
    (folder / "lesson.md").unlink()
    folder.rmdir()


def test_the_preview_renews_itself_when_the_author_saves(open_as, lesson_file):
    lesson_file.write_text(HEADER + TALL)
    page = open_as("admin")
    page.goto(f"/authors/{SLUG}/")
    page.get_by_text("Paragraph 70.").scroll_into_view_if_needed()
    place = page.evaluate("scrollY")

    lesson_file.write_text(HEADER + TALL + "\n\nA *new* word.\n")
    expect(page.get_by_text("A new word.")).to_be_attached()
    assert page.evaluate("scrollY") == place > 0

    lesson_file.write_text(HEADER + "{gap}`lost`\n")
    expect(page.get_by_text("The gap “lost” has no key.")).to_be_visible()
    expect(page.get_by_text("lesson.md:")).to_be_visible()

    lesson_file.write_text(HEADER + "Mended.\n")
    expect(page.get_by_text("Mended.")).to_be_visible()
