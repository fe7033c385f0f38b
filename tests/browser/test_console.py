"""Every other browser test fails when a console complains. That it would notice is tested here."""

from __future__ import annotations


def test_a_style_that_the_policy_forbids_is_noticed(tabs):
    page = tabs.open()
    page.goto("/")
    with page.expect_console_message():
        page.evaluate("document.body.setAttribute('style', 'color: red')")
    (complaint,) = tabs.complaints
    assert "Content Security Policy" in complaint
    tabs.complaints.clear()


def test_a_script_that_breaks_is_noticed(tabs):
    page = tabs.open()
    page.goto("/")
    with page.context.expect_event("weberror"):
        page.evaluate("setTimeout(() => { throw new Error('broken'); })")
    assert tabs.complaints == ["broken"]
    tabs.complaints.clear()


def test_a_file_that_is_missing_is_noticed_and_a_page_that_is_missing_is_none(tabs):
    page = tabs.open()
    page.goto("/nowhere/")
    assert tabs.complaints == []
    with page.expect_console_message():
        page.evaluate("document.body.append(Object.assign(new Image(), { src: '/static/no.png' }))")
    assert ["404" in complaint for complaint in tabs.complaints] == [True]
    tabs.complaints.clear()
