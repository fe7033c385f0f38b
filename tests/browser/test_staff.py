"""The teacher's review of a student, and the admin's stop of a lab."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.pages import PAGES
from tests.browser.steps import block, output_of, press_run, run_to_the_end


def test_a_teacher_sees_what_a_student_wrote_and_ran(open_as):
    student = open_as("student2")
    student.goto("/lessons/tiny/")
    student.get_by_label("Answer: A cell of a teacher").fill("my own words\n<b>")
    expect(student.locator("#gap-own-words-status")).to_have_text("saved")
    run_to_the_end(student, "fails")

    page = open_as("teacher")
    page.goto("/")
    page.get_by_role("link", name="My classes").click()
    page.get_by_role("link", name="Demo class").click()
    row = page.get_by_role("row", name="student2")
    expect(row.get_by_role("cell")).to_have_text(["1", "1"])
    row.get_by_role("link").click()
    work = page.get_by_role("region", name="A tiny lesson", exact=True)
    expect(work.get_by_role("row", name="A cell of a teacher")).to_contain_text("my own words <b>")
    expect(work).to_contain_text('docker exec agent sh -c "echo it went wrong >&2; exit 1"')
    expect(work).to_contain_text("Finished, exit code 1")
    assert output_of(work) == "it went wrong\n"


def test_a_teacher_watches_a_run_to_its_end(open_as):
    student = open_as("student2")
    student.goto("/lessons/tiny/")
    press_run(student, "slow")

    page = open_as("teacher")
    page.goto("/classes/1/students/student2/")
    run = page.locator(".run-list > li").first
    expect(run.locator(".run-state")).to_have_text("Running …")
    expect(run.locator(".run-state")).to_have_text("Finished, exit code 0")
    expect(run.locator(".run-line")).to_contain_text(re.compile(r"\d\.\d\d s"))
    assert output_of(run).count("line") == 10


def test_an_admin_stops_a_lab_and_the_next_run_starts_it_again_with_its_files(open_as):
    student = open_as("student1")
    student.goto("/lessons/checkpoints/")
    for block_id in ("write-record", "write-job"):
        run_to_the_end(student, block_id)

    admin = open_as("admin")
    admin.goto("/")
    admin.get_by_role("link", name="Labs").click()
    admin.goto("/labs/?words=student1")  # other tests' students fill the first page
    row = admin.get_by_role("row", name="student1")
    expect(row).to_contain_text("ready")
    row.get_by_label("Choose the lab of student1").check()
    admin.get_by_role("button", name="Stop …").click()
    expect(admin.get_by_role("heading", name="Stop: 1 lab?")).to_be_visible()
    admin.get_by_role("button", name="Stop", exact=True).click()
    expect(admin.get_by_text("Labs that save their files and stop: 1")).to_be_visible()
    expect(row).to_contain_text("not started")

    shown = run_to_the_end(student, "crash")
    expect(shown.locator(".run-state")).to_have_text("Finished, exit code 1")
    assert output_of(shown).endswith("Crash while working on A3\n")
    expect(block(student, "crash")).not_to_contain_text("Lost")


def test_the_consoles_list_goes_on_by_itself_and_keeps_what_was_ticked(open_as, work_is_done):
    admin = open_as("admin")
    admin.goto("/labs/?words=student1")
    box = admin.get_by_label("Choose the lab of student1")
    box.check()
    with admin.expect_response(re.compile(r"/labs/\?.*lab=")):
        pass  # the page asks for its rows anew every five seconds
    expect(box).to_be_checked()
    expect(admin.get_by_role("row", name="student1")).to_contain_text(re.compile(r"\d+ of 128"))


def test_a_message_reaches_a_student_and_goes_when_it_is_read(open_as, work_is_done):
    admin = open_as("admin")
    admin.goto("/labs/?words=student1")
    admin.get_by_role("link", name="student1").click()
    admin.get_by_role("button", name="Send a message …").click()
    admin.get_by_label("Your message").fill("The lab machine is restarted at 3.")
    admin.get_by_role("button", name="Send a message").click()
    expect(admin.get_by_text("Students who will read your message: 1")).to_be_visible()

    student = open_as("student1")
    student.goto("/lessons/tiny/")
    expect(student.get_by_text("The lab machine is restarted at 3.")).to_be_visible()
    student.get_by_role("button", name="I have read it").click()
    expect(student.get_by_text("The lab machine is restarted at 3.")).to_be_hidden()
    student.reload()
    expect(student.get_by_text("The lab machine is restarted at 3.")).to_be_hidden()


def test_a_stream_is_for_those_who_may_see_its_run(open_as, work_is_done):
    people = [*PAGES, "student2"]
    answers = {who: open_as(who).request.get(f"/streams{work_is_done}") for who in people}
    assert {who: answer.status for who, answer in answers.items()} == {
        "visitor": 404,
        "student1": 200,
        "student2": 404,
        "teacher": 200,
        "admin": 200,
    }
    assert "it went wrong" in answers["teacher"].text()
    assert open_as("student1").request.get("/streams/nothing/").status == 404
    assert "it went wrong" not in answers["student2"].text()


def test_djangos_admin_works_under_our_policy(open_as):
    page = open_as("admin")
    for path in ("/admin/", "/admin/course/user/", "/admin/course/user/1/change/"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
    rights = page.locator("#id_user_permissions_from")
    page.locator("#id_user_permissions_input").press_sequentially("terminal session")
    expect(rights.get_by_role("option", name="Can view terminal session")).to_be_visible()
    expect(rights.get_by_role("option", name="Can view classroom")).to_have_count(0)


def test_djangos_admin_leads_from_a_class_to_where_its_people_are_changed(open_as):
    page = open_as("admin")
    page.goto("/admin/course/classroom/1/change/")
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    page.get_by_role("link", name="People", exact=True).click()
    expect(page).to_have_url(re.compile(r"/classes/1/people/$"))
