"""All pages, opened once each: axe-core finds nothing, none is pale, wide or hard to press."""

from __future__ import annotations

import pytest

from tests.browser.chromium import DESKTOP, PHONE, SMALL_PHONE
from tests.browser.pages import ALL, ALL_WRONG, press_in_vain
from tests.browser.test_axe import LOOKS, breaches, prepared, unfolded

TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return "";
    const wide = [...document.querySelectorAll("body *")].filter(
        element => element.getBoundingClientRect().right > width + 1
            && !element.parentElement.closest(".table-scroll, .output, pre"));
    return `${document.documentElement.scrollWidth} > ${width}: ` +
        wide.slice(0, 3).map(element => element.outerHTML.slice(0, 80)).join(" | ");
}"""
TOO_SMALL = """() => {
    const kinds = ["a[href]", "button", "input:not([type=hidden])", "select", "summary"];
    const pressed = [...kinds, "textarea"].join(", ");
    return [...document.querySelectorAll(pressed)].filter(one => {
        const box = one.getBoundingClientRect();
        if (!one.checkVisibility() || box.width < 2) return false;
        if (one.closest("label, .xterm, .visually-hidden")) return false;
        // Within a sentence, WCAG asks for no size.
        const words = [...one.parentElement.childNodes].filter(node => node.nodeType === 3);
        const isInText = one.matches("a") && words.some(node => node.data.trim());
        return !isInText && (box.height < 24 || box.width < 24);
    }).map(one => one.outerHTML.slice(0, 90));
}"""
CASES = ((DESKTOP, "100"), (PHONE, "100"), (SMALL_PHONE, "100"), (DESKTOP, "200"), (PHONE, "200"))
SPACED = "html => Object.assign(html.dataset, {letters: 'wider', lines: 'wider', size: '100'})"
SILENT = """() => [...document.querySelectorAll("[aria-invalid=true]")].filter(field => {
    const ids = (field.getAttribute("aria-describedby") || "").split(" ");
    return !ids.some(id => document.getElementById(id)?.matches(
        ".errorlist, .field-error, .refusal"));
}).map(field => field.outerHTML.slice(0, 90))"""
"""Fields that are wrong and don't say why to those who can't see what stands beside them."""


@pytest.mark.parametrize(("number", "person", "path"), [(n, *page) for n, page in enumerate(ALL)])
def test_every_page_breaks_no_rule_and_fits_its_window(open_as, names, number, person, path):
    page = unfolded(open_as(person), path.format_map(names))
    other_look = LOOKS[1 + number % len(LOOKS[1:])]
    found = {
        "rules": breaches(page),
        other_look: breaches(page, [other_look], ["color-contrast"]),
        "small": page.evaluate(TOO_SMALL),
        **overflows(page),
    }
    assert {case: what for case, what in found.items() if what} == {}


@pytest.mark.parametrize(("person", "path"), ALL_WRONG)
def test_every_form_says_what_is_wrong_beside_the_field_and_breaks_no_rule(
    open_as, names, person, path
):
    page = prepared(press_in_vain(open_as(person), person, path, names))
    assert page.evaluate(SILENT) == []
    assert breaches(page) + breaches(page, ["dark normal"], ["color-contrast"]) == []


def overflows(page):
    """What is wider than its window: by width and text size, and from right to left and spaced."""
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    html, found = page.locator("html"), {}
    for viewport, size in CASES:
        page.set_viewport_size(viewport)
        html.evaluate("(html, size) => { html.dataset.size = size; }", size)
        found[f"{viewport['width']} at {size}"] = page.evaluate(TOO_WIDE)
    page.set_viewport_size(SMALL_PHONE)
    html.evaluate(SPACED)
    found["spaced"] = page.evaluate(TOO_WIDE)
    html.evaluate("html => { html.dir = 'rtl'; }")
    found["rtl"] = page.evaluate(TOO_WIDE)
    return found
