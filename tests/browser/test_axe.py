"""axe-core finds nothing on any page, and enough contrast on every paper."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.chromium import PHONE
from tests.browser.pages import PAGES

ALL_RULES = {"resultTypes": ["violations"]}
CONTRAST = ALL_RULES | {"runOnly": ["color-contrast"]}
PAPERS = ("white", "cream", "peach", "blue", "green", "dark")
OTHER_LOOKS = ("cream normal", "dark normal", "white high", "dark high")
WEAR = """look => {
    const [paper, contrast] = look.split(" ");
    Object.assign(document.documentElement.dataset, { paper, contrast });
}"""


@pytest.fixture(scope="module")
def axe():
    return Axe()


def opened(page, path):
    """The page with everything on it unfolded, except for what would lie over the rest."""
    page.goto(path)
    page.locator(".example").evaluate_all("all => all.forEach(one => { one.open = true; })")
    return page


def violations_of(axe, page, options=ALL_RULES):
    found = axe.run(page, options=options).response["violations"]
    return [(rule["id"], node["html"][:120]) for rule in found for node in rule["nodes"]]


def pale_spots(axe, page, look):
    """What has too little contrast when the reader has chosen that paper and contrast."""
    page.evaluate(WEAR, look)
    return violations_of(axe, page, CONTRAST)


@pytest.mark.parametrize("person", PAGES)
def test_no_page_breaks_a_rule_on_any_ground(axe, open_as, person, work_is_done):
    page, found = open_as(person), {}
    for path in PAGES[person]:
        found[path] = violations_of(axe, opened(page, path))
        found |= {(path, look): pale_spots(axe, page, look) for look in OTHER_LOOKS}
    assert {where: broken for where, broken in found.items() if broken} == {}


@pytest.mark.parametrize("path", ["/", "/lessons/tiny/"])
def test_no_page_breaks_a_rule_on_a_phone(axe, open_as, path):
    page = open_as("student1", viewport=PHONE)
    assert violations_of(axe, opened(page, path)) == []


@pytest.mark.parametrize("contrast", ["normal", "high"])
def test_every_paper_carries_a_lesson_with_all_its_parts(axe, open_as, contrast, work_is_done):
    page = opened(open_as("student1"), "/lessons/tiny/")
    found = {paper: pale_spots(axe, page, f"{paper} {contrast}") for paper in PAPERS}
    assert found == {paper: [] for paper in PAPERS}
