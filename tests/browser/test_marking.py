"""From "create a class" to "export marks" in Chromium; thirty students marked by the keyboard."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.served import REPOSITORY
from tests.browser.steps import run_to_the_end, sign_up
from tests.browser.test_axe import LOOKS, breaches, unfolded

STUDENTS, ANSWERS, OPEN_ANSWERS, WORDINGS = 30, 12, 5, 6
"""Five of each student's twelve answers are for a teacher, and each of these comes in six wordings;
the key marks the other seven."""
KEYS_FOR_EQUAL = 2
ON_ITS_WAY = ".htmx-request, .htmx-added, .htmx-swapping, .htmx-settling"
"""`a`, then Enter."""


@pytest.fixture
def teacher(open_as):
    return open_as("teacher")


def set_the_tiny_lesson(page, class_name):
    """The address of a new class's assignment of the tiny lesson, and its join code."""
    page.goto("/classes/new/")
    page.get_by_label("Name of the class").fill(class_name)
    page.get_by_role("button", name="Make this class").click()
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("link", name="Join code").click()
    page.get_by_role("button", name="Make a new code").click()
    code = page.locator(".join-code-letters").inner_text()
    page.get_by_role("link", name="Assignments", exact=True).click()
    page.get_by_role("link", name="Set a lesson").click()
    page.get_by_role("link", name="Set “A tiny lesson”").click()
    page.get_by_label("Answer: A cell of a teacher").fill("4")
    page.get_by_role("button", name="Set for the class").click()
    expect(page.get_by_role("heading", name="A tiny lesson")).to_be_visible()
    return page.url, code


def join(page, code):
    page.goto("/join/")
    page.get_by_label("The code from your teacher").fill(code)
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Join", exact=True).click()


def test_from_creating_a_class_to_exporting_marks(tabs, teacher):
    address, code = set_the_tiny_lesson(teacher, "Journey")
    student = tabs.open()
    name = sign_up(student)
    join(student, code)

    student.goto("/lessons/tiny/")
    run_to_the_end(student, "hello")
    student.get_by_label("Answer: A cell of a teacher").fill("In my own words.")
    student.get_by_label("Answer: A cell with a key").fill("quokka")
    for gap_id in ("own-words", "animal"):
        expect(student.locator(f"#gap-{gap_id}-status")).to_have_text("saved")

    student.goto("/todo/")
    expect(student.get_by_text("to do", exact=True)).to_be_visible()
    student.get_by_role("link", name="A tiny lesson").click()
    expect(student.get_by_text("Answer: A cell with choices: empty")).to_be_visible()
    student.get_by_role("button", name="Hand in", exact=True).click()
    expect(student.get_by_role("heading", name="Your hand-in")).to_be_visible()
    expect(student.get_by_text("as they were when you handed in")).to_be_visible()
    expect(student.get_by_text("hasn't shown the marks yet")).to_be_visible()

    teacher.goto(f"{address}marking/")
    expect(teacher.get_by_text("In my own words.")).to_be_visible()
    teacher.keyboard.press("c")
    teacher.keyboard.type("Say more.")
    teacher.keyboard.press("Escape")
    teacher.keyboard.press("p")
    teacher.keyboard.type("2.5")
    teacher.keyboard.press("Enter")
    expect(teacher.get_by_text("Given: 2.5 of 4.")).to_be_visible()
    teacher.goto(address)
    teacher.get_by_role("button", name="Show students their marks").click()

    student.reload()
    expect(student.get_by_text("marked: 2.5 / 4")).to_be_visible()
    expect(student.get_by_text("Say more.")).to_be_visible()
    student.get_by_text("Ask to look at it again: Answer: A cell of a teacher").click()
    student.get_by_label("What do you think was overlooked?").first.fill("I did say more.")
    student.get_by_role("button", name="Ask", exact=True).first.click()
    teacher.goto(f"{address}asked/")
    teacher.get_by_label("Your answer").fill("Where?")
    teacher.get_by_role("button", name="Answer").click()
    student.reload()
    expect(student.get_by_text("Where?")).to_be_visible()

    teacher.goto(f"{address}gradebook/")
    with teacher.expect_download() as download:
        teacher.get_by_role("link", name="CSV").click()
    (line,) = csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig")))
    assert (line["username"], line["gap:own-words"], line["block:hello"], line["final"]) == (
        name,
        "2.5",
        "1.0",
        "4.5",
    )


def make_hand_ins(site):
    """The address of an assignment for which everybody has handed in."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser.make_hand_ins", str(STUDENTS), str(WORDINGS)],
        cwd=REPOSITORY,
        env=dict(site.env) | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return f"/assignments/{done.stdout.strip()}/"


def expect_waiting(page, number):
    words = re.compile(rf"(^|\s){number} answers? to be marked")
    expect(page.locator(".marking-status")).to_have_text(words)


def press_key(page, key):
    """Once the next answer is there whole: before, the page takes no key, or loads anew for it."""
    expect(page.locator(ON_ITS_WAY)).to_have_count(0)
    page.keyboard.press(key)


def test_thirty_students_with_twelve_answers_are_marked_by_the_keyboard(site, teacher):
    address = make_hand_ins(site)
    teacher.goto(f"{address}marking/")
    left, keystrokes = STUDENTS * OPEN_ANSWERS, 0
    expect_waiting(teacher, left)
    for _ in range(STUDENTS):
        press_key(teacher, "f")
        left, keystrokes = left - 1, keystrokes + 1
        expect_waiting(teacher, left)
    for _ in range((OPEN_ANSWERS - 1) * WORDINGS):
        press_key(teacher, "a")
        expect(teacher.get_by_role("button", name=re.compile("^Mark ")).first).to_be_focused()
        press_key(teacher, "Enter")
        left, keystrokes = left - STUDENTS // WORDINGS, keystrokes + KEYS_FOR_EQUAL
        expect_waiting(teacher, left)
    assert left == 0
    assert keystrokes == STUDENTS + (OPEN_ANSWERS - 1) * WORDINGS * KEYS_FOR_EQUAL == 78
    teacher.goto(f"{address}gradebook/")
    expect(teacher.locator(".gradebook .to-mark")).to_have_count(0)
    expect(teacher.locator(".gradebook td.final", has_text=str(ANSWERS))).to_have_count(STUDENTS)


def test_without_script_the_buttons_mark_and_lead_on(site, open_as):
    page = open_as("teacher", java_script_enabled=False)
    page.goto(f"{make_hand_ins(site)}marking/?names=hidden")
    left = STUDENTS * OPEN_ANSWERS
    page.get_by_role("button", name="Full: 1").click()
    expect_waiting(page, left - 1)
    page.get_by_label("Part").fill("0.5")
    page.get_by_role("button", name="Give these").click()
    expect(page.get_by_text("Given: 0.5 of 1.")).to_be_visible()
    page.get_by_role("button", name="Full for everybody who wrote this").click()
    page.get_by_role("button", name="Mark ").click()
    expect(page.get_by_text("answers marked together.")).to_be_visible()
    page.get_by_role("button", name="Undo the marking of equal answers").click()
    expect_waiting(page, left - 2)
    page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name="Previous").click()
    assert "names=hidden" in page.url


def test_two_markers_at_once_are_told_and_nothing_typed_is_lost(site, open_as):
    address = make_hand_ins(site)
    first, second = open_as("teacher"), open_as("admin")
    for page in (first, second):
        page.goto(f"{address}marking/")
        expect_waiting(page, STUDENTS * OPEN_ANSWERS)
    press_key(first, "f")
    expect_waiting(first, STUDENTS * OPEN_ANSWERS - 1)
    second.get_by_label("Comment to the student").fill("Mine.")
    second.get_by_label("Part").fill("0.5")
    second.keyboard.press("Enter")
    expect(second.get_by_role("alert")).to_contain_text("Meanwhile this was marked by teacher")
    expect(second.get_by_label("Comment to the student")).to_have_value("Mine.")
    second.get_by_role("button", name="Give these").click()
    expect(second.get_by_text("Given: 0.5 of 1.")).to_be_visible()


def test_no_page_of_marking_breaks_a_rule_or_is_pale(site, teacher):
    address, found = make_hand_ins(site), []
    for page in (
        "",
        "edit/",
        "marking/",
        "marking/?show=all&names=hidden",
        "rubric/",
        "gradebook/",
    ):
        shown = unfolded(teacher, f"{address}{page}")
        found += breaches(shown) + breaches(shown, LOOKS[2:], ["color-contrast"])
    teacher.locator(".gradebook tbody a").first.click()
    found += breaches(unfolded(teacher, teacher.url))
    assert found == []
