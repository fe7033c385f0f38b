"""A class is made and filled in all three ways, with script and without."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.chromium import PHONE
from tests.browser.steps import fill_in_sign_up, log_in
from tests.browser.test_axe import breaches

ROSTER = "username;first_name;last_name\nada.lovelace;Ada;King\n;Max;Neu\n"


@pytest.fixture(scope="module", params=[True, False], ids=["with script", "without script"])
def has_script(request):
    return request.param


@pytest.fixture
def teacher(open_as, has_script):
    return open_as("teacher", java_script_enabled=has_script)


def make_class(page, name):
    """The new class's own page."""
    page.goto("/classes/")
    page.get_by_role("link", name="Make a class").click()
    page.get_by_label("Name of the class").fill(name)
    page.get_by_role("button", name="Make this class").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.get_by_role("link", name="People").click()


def make_cards(page, names):
    page.get_by_role("link", name="New accounts").click()
    page.get_by_label("Names, one on each line").fill(names)
    page.get_by_role("button", name="Make the accounts").click()
    expect(page.get_by_role("heading", name="Log-in cards")).to_be_visible()


def fields_of_card(page, number=0):
    """Address, username and passphrase."""
    return page.locator(".login-card").nth(number).locator("dd").all_inner_texts()


def test_a_student_comes_by_the_link_signs_up_and_is_in_the_class(teacher, tabs, has_script):
    make_class(teacher, "By code")
    teacher.get_by_role("link", name="Join code").click()
    teacher.get_by_role("button", name="Make a new code").click()
    link = teacher.locator(".join-code-link").inner_text()
    picture = teacher.locator(".join-code-qr")
    assert picture.evaluate("image => image.naturalWidth > 0")
    student = tabs.open(java_script_enabled=has_script)
    student.goto(link)
    student.get_by_role("link", name="I am new").click()
    name = fill_in_sign_up(student)
    student.get_by_role("button", name="Join", exact=True).click()
    expect(student.get_by_role("status")).to_contain_text("You joined By code.")
    teacher.get_by_role("link", name="All people").click()
    expect(teacher.get_by_role("row", name=name)).to_contain_text("their own")


def test_a_card_is_all_that_a_student_needs(open_as, tabs):
    page = open_as("teacher")
    make_class(page, "By cards")
    make_cards(page, "Ada Lovelace\nBob Noyce")
    where, username, passphrase = fields_of_card(page, 1)
    student = tabs.open()
    student.goto(where)
    log_in(student, {username: passphrase}, username)
    student.goto("/classes/")
    expect(student.get_by_role("heading", name="By cards")).to_be_visible()


def test_a_roster_file_is_shown_first_and_then_done(teacher):
    make_class(teacher, "By roster")
    make_cards(teacher, "Ada Lovelace")
    _where, username, _passphrase = fields_of_card(teacher)
    teacher.get_by_role("link", name="Done: to the class").click()
    teacher.get_by_role("link", name="Roster file").click()
    text = ROSTER.replace("ada.lovelace", username).encode()
    file = {"name": "class.csv", "mimeType": "text/csv", "buffer": text}
    teacher.locator("#id_file").set_input_files(file)
    teacher.get_by_role("button", name="Show what will change").click()
    expect(teacher.get_by_role("region", name="Changed")).to_contain_text(
        "last_name: Lovelace → King"
    )
    teacher.get_by_role("button", name="Do exactly this").click()
    expect(teacher.locator(".login-card")).to_contain_text("Max Neu")


def test_cards_print_as_cards_and_nothing_else(open_as):
    page = open_as("teacher")
    make_class(page, "On paper")
    make_cards(page, "Ada Lovelace\nBob Noyce")
    page.emulate_media(media="print")
    expect(page.locator(".login-card")).to_have_count(2)
    expect(page.locator(".login-card").first).to_be_visible()
    for hidden in (".site-header", ".site-footer", ".no-print"):
        expect(page.locator(hidden)).to_be_hidden()


def test_cards_and_plan_break_no_rule_and_fit_a_phone(open_as):
    page = open_as("teacher", viewport=PHONE)
    make_class(page, "Looked at")
    make_cards(page, "Ada Lovelace")
    found = breaches(ready_for_axe(page))
    page.get_by_role("link", name="Done: to the class").click()
    found += breaches(ready_for_axe(page))
    page.get_by_role("link", name="Roster file").click()
    file = {"name": "class.csv", "mimeType": "text/csv", "buffer": b"username\nnew\nteacher\n"}
    page.locator("#id_file").set_input_files(file)
    page.get_by_role("button", name="Show what will change").click()
    found += breaches(ready_for_axe(page))
    assert found == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def ready_for_axe(page):
    """Cards exist on this page only: it can't be opened anew."""
    page.evaluate(Axe().axe_script)
    return page
