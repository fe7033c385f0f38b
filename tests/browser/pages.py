"""Every page that somebody can open, for tests and screenshots that look at all of them."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.steps import run_to_the_end

TINY = "/lessons/tiny/"
LESSON = "/lessons/checkpoints/"
PAGES = {
    "visitor": ("/", LESSON, "/accounts/login/", "/accounts/signup/", "/reading/", "/nowhere/"),
    "student1": (
        "/",
        LESSON,
        TINY,
        f"{TINY}blocks/hello/",
        f"{TINY}blocks/fails/runs/",
        f"{LESSON}guide/",
        "/classes/",
        "/accounts/logout/",
    ),
    "teacher": ("/classes/", "/classes/1/", "/classes/1/students/student1/", f"{LESSON}guide/"),
    "admin": (
        "/authors/",
        "/authors/checkpoints/",
        f"{LESSON}state/",
        "/labs/",
    ),
}
ALL = [(person, path) for person, paths in PAGES.items() for path in paths]


def do_some_work(page: Page) -> str:
    """Gives a student's pages something to show; where their newest run is."""
    page.goto(TINY)
    page.get_by_label("Answer: A cell of a teacher").fill("My own words about it.")
    for block_id in ("hello", "colours", "fails"):
        shown = run_to_the_end(page, block_id)
    text = shown.get_by_role("link", name="Output as text").get_attribute("href") or ""
    return text.removesuffix("output.txt")
