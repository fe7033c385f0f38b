"""Every page that somebody can open, for tests and screenshots that look at all of them."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.steps import run_to_the_end

TINY = "/lessons/tiny/"
LESSON = "/lessons/checkpoints/"
PAGES = {
    "visitor": (
        "/",
        LESSON,
        "/accounts/login/",
        "/accounts/signup/",
        "/reading/",
        "/nowhere/",
        "/join/",
    ),
    "student1": (
        "/",
        LESSON,
        TINY,
        f"{TINY}blocks/hello/",
        f"{TINY}blocks/fails/runs/",
        f"{LESSON}guide/",
        "/classes/",
        "/help/",
        "/terminal/",
        "/terminals/of/student1/",
        "/accounts/logout/",
        "/todo/",
        "/join/",
        "/privacy/",
        "/privacy/delete/",
        "/lab/",
        "/lab/files/",
    ),
    "teacher": (
        "/classes/",
        "/classes/1/",
        "/classes/1/students/student1/",
        f"{LESSON}guide/",
        "/classes/new/",
        "/classes/1/settings/",
        "/classes/1/code/",
        "/classes/1/people/",
        "/classes/1/roster/",
        "/classes/1/accounts/",
        "/classes/1/assignments/",
        "/classes/1/assignments/new/",
        "/classes/1/gradebook/",
        "/classes/1/download/",
    ),
    "admin": (
        "/authors/",
        "/authors/checkpoints/",
        f"{LESSON}state/",
        "/labs/",
        "/design/",
        "/labs/1/",
        "/labs/queue/",
        "/labs/hosts/",
        "/labs/hosts/1/",
        "/labs/limits/",
        "/labs/limits/edit/?scope=lesson:tiny",
        "/labs/images/",
        "/labs/audit/",
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
