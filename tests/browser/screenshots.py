"""`python -m tests.browser.screenshots IMAGE`: every page at three widths, each in its own look.

They are written to build/screenshots/, to be looked at by somebody. IMAGE is the tag that
`bin/build-image --print-tag` prints.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize

from tests.browser.chromium import DESKTOP, PHONE, TABLET, Tabs, launch_chromium
from tests.browser.pages import LESSON, PAGES, WRONG, do_some_work, make_names, press_in_vain
from tests.browser.served import serve_site
from tests.browser.steps import log_in, run_to_the_end

FOLDER = Path("build/screenshots")
LOOKS: dict[str, tuple[ViewportSize, str]] = {
    "1280-cream": (DESKTOP, "cream.normal.100"),
    "768-german": (TABLET, "white.high.150.system.normal.normal.system.shown.de"),
    "390-dark": (PHONE, "dark.normal.100"),
}
"""In the second, text is large, contrast high and the words are long."""
PRINTED = {
    "visitor": (LESSON,),
    "student1": (LESSON, "/hand-ins/1/"),
    "teacher": ("/assignments/1/review/student1/", f"{LESSON}guide/"),
}


def main(image: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with serve_site(image) as site, launch_chromium() as browser:
        tabs = Tabs(browser, site.url)
        names = dict(make_names(site))
        for person in PAGES:
            page = tabs.open()
            if person != "visitor":
                log_in(page, site.passwords, person)
            if person == "student1":
                names["run"] = _work(page)
                _take_readme(page)
            _print(page, person, site.url)
            _take_looks(page, person, names, site.url)
        tabs.close()


def _work(page: Page) -> str:
    """Something to see: answers, and a run of every command. Where the newest run is."""
    newest = do_some_work(page)
    page.goto(LESSON)
    page.get_by_label("Example: Checkpoint").fill("The save point in a game, after the level.")
    for block_id in ("write-record", "write-job", "crash", "resume"):
        run_to_the_end(page, block_id)
    return newest


def _take_readme(page: Page) -> None:
    """What the README shows: a lesson with a command that has just run."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{LESSON}#block-resume")
    page.evaluate("scrollBy(0, -90)")
    page.screenshot(path=FOLDER / "readme.png")


def _take_looks(page: Page, person: str, names: dict[str, Any], url: str) -> None:
    for look, (viewport, choices) in LOOKS.items():
        page.context.add_cookies([{"name": "reading", "value": choices, "url": url}])
        page.set_viewport_size(viewport)
        for path in PAGES[person]:
            page.goto(path.format_map(names))
            _take(page, f"{person}{path}", look)
        for path in WRONG.get(person, {}):
            press_in_vain(page, person, path, names)
            _take(page, f"{person}{path}wrong", look)


def _print(page: Page, person: str, url: str) -> None:
    """On paper, from light and from dark."""
    for paper in ("cream", "dark"):
        choices = f"{paper}.normal.100"
        page.context.add_cookies([{"name": "reading", "value": choices, "url": url}])
        for path in PRINTED.get(person, ()):
            page.goto(path)
            name = re.sub(r"[^\w-]+", "-", f"{person}{path}").strip("-")
            page.pdf(path=FOLDER / f"{name}--{paper}.pdf", format="A4", print_background=True)


def _take(page: Page, what: str, look: str) -> None:
    name = re.sub(r"[^\w-]+", "-", what).strip("-")
    page.screenshot(path=FOLDER / f"{name}--{look}.png", full_page=True)


if __name__ == "__main__":
    main(sys.argv[1])
