"""`python -m tests.browser.screenshots IMAGE`: every page, on a desk and on a phone.

They are written to build/screenshots/, to be looked at by somebody. IMAGE is the tag that
`bin/build-image --print-tag` prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.chromium import DESKTOP, PHONE, Tabs, launch_chromium
from tests.browser.pages import LESSON, PAGES, do_some_work
from tests.browser.served import serve_site
from tests.browser.steps import block, log_in, run_to_the_end

FOLDER = Path("build/screenshots")
WIDTHS = {"1280": DESKTOP, "390": PHONE}
LOOKS = {"cream-high-125": "cream.high.125", "dark": "dark.normal.100"}


def main(image: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with serve_site(image) as site, launch_chromium() as browser:
        tabs = Tabs(browser, site.url)
        for person, paths in PAGES.items():
            page = tabs.open()
            if person != "visitor":
                log_in(page, site.passwords, person)
            if person == "student1":
                _work(page)
            for path in paths:
                _take_all_widths(page, path, f"{person}{path.replace('/', '-')}")
            if person == "student1":
                _take_readme(page)
                _take_looks(page, site.url)
        tabs.close()


def _work(page: Page) -> None:
    """Something to see: answers, and a run of every command."""
    do_some_work(page)
    page.goto(LESSON)
    page.get_by_label("Example: Checkpoint").fill("The save point in a game, after the level.")
    for block_id in ("write-record", "write-job", "crash", "resume"):
        run_to_the_end(page, block_id)


def _take_all_widths(page: Page, path: str, name: str) -> None:
    page.goto(path)
    for width, viewport in WIDTHS.items():
        page.set_viewport_size(viewport)
        page.screenshot(path=FOLDER / f"{name}{width}.png", full_page=True)


def _take_readme(page: Page) -> None:
    """What the README shows: a lesson with a command that has just run."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{LESSON}#block-resume")
    page.evaluate("scrollBy(0, -90)")
    page.screenshot(path=FOLDER / "readme.png")


def _take_looks(page: Page, url: str) -> None:
    """A run in the reader's other colours, as much as one window shows."""
    for name, choices in LOOKS.items():
        page.context.add_cookies([{"name": "reading", "value": choices, "url": url}])
        page.goto(LESSON)
        for width, viewport in WIDTHS.items():
            page.set_viewport_size(viewport)
            block(page, "crash").scroll_into_view_if_needed()
            page.screenshot(path=FOLDER / f"look-{name}-{width}.png")


if __name__ == "__main__":
    main(sys.argv[1])
