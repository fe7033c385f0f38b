"""`python -m tests.browser.screenshots IMAGE`: every page, on a desk and on a phone.

They are written to build/screenshots/, to be looked at by somebody. IMAGE is the tag that
`bin/build-image --print-tag` prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.chromium import DESKTOP, PHONE, Tabs, launch_chromium
from tests.browser.served import serve_site
from tests.browser.steps import log_in, run_to_the_end

FOLDER = Path("build/screenshots")
WIDTHS = {"1280": DESKTOP, "390": PHONE}
LESSON = "/lessons/checkpoints/"
PAGES = {
    "visitor": ["/", LESSON, "/accounts/login/", "/accounts/signup/", "/reading/", "/nowhere/"],
    "student1": ["/", LESSON, f"{LESSON}blocks/crash/runs/", "/classes/", "/accounts/logout/"],
    "teacher": ["/classes/", "/classes/1/", "/classes/1/students/student1/", f"{LESSON}guide/"],
    "admin": ["/labs/", "/admin/"],
}


def main(image: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with serve_site(image) as site, launch_chromium() as browser:
        tabs = Tabs(browser, site.url)
        _work_as_student(tabs, site.passwords)
        for person, paths in PAGES.items():
            for width, viewport in WIDTHS.items():
                page = tabs.open(viewport=viewport)
                if person != "visitor":
                    log_in(page, site.passwords, person)
                for path in paths:
                    _take(page, path, f"{person}{path.replace('/', '-')}{width}")
        tabs.close()


def _work_as_student(tabs: Tabs, passwords: dict[str, str]) -> None:
    """Something to see: answers, and a run of every command."""
    page = tabs.open()
    log_in(page, passwords, "student1")
    page.goto(LESSON)
    page.get_by_label("Example: Checkpoint").fill("The save point in a game, after the level.")
    for block_id in ("write-record", "write-job", "crash", "resume"):
        run_to_the_end(page, block_id)


def _take(page: Page, path: str, name: str) -> None:
    page.goto(path)
    page.screenshot(path=FOLDER / f"{name}.png", full_page=True)


if __name__ == "__main__":
    main(sys.argv[1])
