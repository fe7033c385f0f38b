"""axe-core finds nothing, and enough contrast on every paper; of all pages in test_every_page."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.chromium import PHONE

PAPERS = ("white", "cream", "peach", "blue", "green", "dark")
LOOKS = ("white normal", "cream normal", "dark normal", "white high", "dark high")
BREACHES = """async ([looks, rules]) => {
    const found = [];
    for (const look of looks) {
        const [paper, contrast] = look.split(" ");
        Object.assign(document.documentElement.dataset, { paper, contrast });
        const asked = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
        for (const rule of (await axe.run(asked)).violations)
            for (const node of rule.nodes)
                found.push(`${look}: ${rule.id}: ${node.html.slice(0, 120)}`);
    }
    return found;
}"""


def unfolded(page, path):
    """The page with all of it to be seen, except for what would lie over the rest."""
    page.goto(path)
    return prepared(page)


def prepared(page):
    page.locator(".example").evaluate_all("all => all.forEach(one => { one.open = true; })")
    page.evaluate(Axe().axe_script)
    return page


def breaches(page, looks=LOOKS[:1], rules=None):
    return page.evaluate(BREACHES, [list(looks), rules])


@pytest.mark.parametrize("path", ["/", "/lessons/tiny/"])
def test_no_page_breaks_a_rule_on_a_phone(open_as, path):
    assert breaches(unfolded(open_as("student1", viewport=PHONE), path)) == []


@pytest.mark.parametrize("contrast", ["normal", "high"])
def test_every_paper_carries_a_lesson_with_all_its_parts(open_as, contrast, work_is_done):
    page = unfolded(open_as("student1"), "/lessons/tiny/")
    looks = [f"{paper} {contrast}" for paper in PAPERS]
    assert breaches(page, looks, ["color-contrast"]) == []


def test_the_test_itself_sees_pale_words(open_as):
    page = unfolded(open_as("visitor"), "/")
    page.locator("h1").evaluate("heading => { heading.style.color = '#ccc'; }")
    assert ["color-contrast" in breach for breach in breaches(page)] == [True]


def test_in_the_systems_own_colours_buttons_have_edges_and_states_differ(open_as):
    page = open_as("admin", forced_colors="active")
    page.goto("/design/")
    for button in page.locator("main .button:visible").all():
        assert button.evaluate("button => getComputedStyle(button).borderTopWidth") != "0px"
    chosen = page.locator(".button[aria-pressed=true]")
    assert chosen.evaluate("button => getComputedStyle(button).outlineStyle") == "solid"
