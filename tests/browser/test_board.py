"""The class board, one student's review, figures and the download of a class, in Chromium."""

from __future__ import annotations

import re
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE
from tests.browser.steps import sign_up
from tests.browser.test_axe import LOOKS, breaches, unfolded
from tests.browser.test_marking import join, make_hand_ins, set_the_tiny_lesson

PAGES = ("board/", "board/?names=hidden", "guide/")


@pytest.fixture
def teacher(open_as):
    return open_as("teacher")


def test_the_board_follows_what_a_student_does_without_a_reload(tabs, teacher):
    address, code = set_the_tiny_lesson(teacher, "Watched")
    student = tabs.open()
    sign_up(student)
    join(student, code)
    teacher.goto(f"{address}board/")
    row = teacher.locator("#board-row-1")
    expect(row.locator("td").nth(1)).to_contain_text("untouched")
    student.goto("/lessons/tiny/")
    student.get_by_label("Answer: A cell with a key").fill("quokka")
    expect(row.locator("td").nth(1)).to_contain_text("passed")
    expect(teacher.locator("#board-totals td").nth(1)).to_have_text("1")
    student.goto("/help/")
    student.get_by_role("button", name=re.compile("help")).first.click()
    expect(teacher.locator("#board-said")).to_contain_text("1 asks for help")
    expect(teacher.locator("table.board tbody tr")).to_have_count(1)


def test_j_leads_to_the_next_student_at_the_same_step_where_a_mark_is_given(site, teacher):
    address = make_hand_ins(site)
    teacher.goto(f"{address}board/")
    teacher.locator(".board tbody a").first.click()
    step = teacher.locator("[data-step]").nth(3)
    step_id = step.get_attribute("id")
    step.evaluate("step => step.scrollIntoView()")
    teacher.keyboard.press("j")
    expect(teacher.get_by_text("2 of 30")).to_be_visible()
    assert teacher.url.endswith(f"#{step_id}")
    step.get_by_role("button", name="Full: 1").click()
    expect(teacher.get_by_text("given 1 of 1")).to_be_attached()
    assert teacher.url.endswith(f"#{step_id}")


def test_a_class_is_downloaded_whole_and_the_page_says_so(teacher):
    teacher.goto("/classes/1/download/")
    with teacher.expect_download() as download:
        teacher.get_by_role("button", name="Download everything").click()
    names = zipfile.ZipFile(download.value.path()).namelist()
    assert "students/student1/answers.csv" in names
    expect(teacher.get_by_text("sent whole").first).to_be_visible()


def test_no_page_of_these_breaks_a_rule_is_pale_or_too_wide(site, teacher):
    address, found = make_hand_ins(site), []
    teacher.goto(f"{address}board/")
    student = teacher.locator(".board tbody a").first.get_attribute("href")
    for path in (*(f"{address}{page}" for page in PAGES), student):
        teacher.set_viewport_size(DESKTOP)
        shown = unfolded(teacher, path)
        found += breaches(shown) + breaches(shown, LOOKS[2:], ["color-contrast"])
        teacher.set_viewport_size(PHONE)
        wide = teacher.evaluate("document.documentElement.scrollWidth - innerWidth")
        found += [f"{path} is {wide} px too wide"] * (wide > 0)
    assert found == []
