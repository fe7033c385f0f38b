"""No page is wider than its window: on a phone, on a small one, and at twice the text size."""

from __future__ import annotations

import pytest

from tests.browser.chromium import DESKTOP, PHONE, SMALL_PHONE
from tests.browser.pages import ALL

TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return "";
    const wide = [...document.querySelectorAll("body *")].filter(
        element => element.getBoundingClientRect().right > width + 1);
    return `${document.documentElement.scrollWidth} > ${width}: ` +
        wide.slice(0, 3).map(element => element.outerHTML.slice(0, 80)).join(" | ");
}"""
NO_WIDER = {"desk": (DESKTOP, "100"), "phone": (PHONE, "100"), "small": (SMALL_PHONE, "100")}
AT_TWICE_THE_SIZE = {"desk, 200 %": (DESKTOP, "200"), "phone, 200 %": (PHONE, "200")}
CASES = NO_WIDER | AT_TWICE_THE_SIZE


@pytest.mark.parametrize(("viewport", "size"), CASES.values(), ids=CASES)
def test_no_page_scrolls_sideways(open_as, tabs, site, work_is_done, viewport, size):
    pages = {person: open_as(person, viewport=viewport) for person in dict(ALL)}
    too_wide = {}
    for person, path in [*ALL, ("student1", work_is_done)]:
        page = pages[person]
        page.context.add_cookies(
            [{"name": "reading", "value": f"white.normal.{size}", "url": site.url}]
        )
        page.goto(path)
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        too_wide[f"{person} {path}"] = page.evaluate(TOO_WIDE)
    assert {where: what for where, what in too_wide.items() if what} == {}


def test_a_wide_table_scrolls_inside_of_itself(open_as):
    page = open_as("admin", viewport=SMALL_PHONE)
    page.goto("/labs/")
    region = page.get_by_role("region", name="All labs")
    assert region.evaluate("region => region.scrollWidth >= region.clientWidth")
    assert region.get_attribute("tabindex") == "0"


def test_what_is_pressed_on_a_phone_is_large_enough(open_as):
    page = open_as("student1", viewport=PHONE)
    page.goto("/lessons/tiny/")
    small = page.locator("main button:visible, main textarea, main select").evaluate_all(
        """all => all.map(one => [one.textContent, one.getBoundingClientRect().height])
                     .filter(([name, height]) => height < 40)"""
    )
    assert small == []
