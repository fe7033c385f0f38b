"""The terminal in Chromium: one shell whatever happens to the page, readable, watched, replayed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PHONE
from tests.browser.steps import output_of, press_run, run_to_the_end, sign_up
from tests.browser.test_axe import LOOKS, breaches, unfolded
from tests.engine_fixtures import wait_until

PROMPT = "node@agent"
OPEN = "[data-terminal][data-state=open]"
SHOWN = """() => {
    const { term } = document.querySelector("[data-terminal]").terminal;
    const buffer = term.buffer.active;
    const lines = [...Array(buffer.length).keys()].map(at => buffer.getLine(at));
    return lines.map(line => line.translateToString(true)).join("\\n").trimEnd();
}"""


def opened(page, path="/terminal/"):
    page.goto(path)
    page.wait_for_selector(OPEN)
    expect_shown(page, "$")
    return page


def screen(page):
    return page.evaluate(SHOWN)


def expect_shown(page, words, times=1):
    page.wait_for_function(
        f"([words, times]) => ({SHOWN})().split(words).length > times", arg=[words, times]
    )


def type_line(page, line):
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.type(f"{line}\n")


@pytest.fixture
def terminal(tabs, student):
    return opened(tabs.open(storage_state=student))


def test_a_command_goes_on_through_a_reload_and_its_shell_is_the_same(terminal):
    type_line(terminal, "mine=47''11; echo be''gun; sleep 2; echo en''ded $mine")
    expect_shown(terminal, "begun")
    terminal.reload()
    terminal.wait_for_selector(OPEN)
    expect_shown(terminal, "begun")
    expect_shown(terminal, "ended 4711")


def test_two_tabs_share_one_shell(terminal, tabs, student):
    other = opened(tabs.open(storage_state=student))
    type_line(other, "echo from the o''ther")
    expect_shown(terminal, "from the other")


def test_a_lost_network_is_said_and_the_shell_is_there_again(terminal):
    type_line(terminal, "echo ear''lier; sleep 1; echo la''ter")
    expect_shown(terminal, "earlier")
    terminal.evaluate("document.querySelector('[data-terminal]').terminal.socket.drop()")
    expect(terminal.locator("[data-terminal-status]")).to_contain_text("Connected")
    expect_shown(terminal, "later")
    assert screen(terminal).count("earlier") == 1


def test_escape_then_tab_leaves_it_and_says_so_before(terminal):
    terminal.locator(".xterm-helper-textarea").focus()
    terminal.keyboard.press("Tab")
    expect(terminal.locator(".xterm-helper-textarea")).to_be_focused()
    terminal.keyboard.press("Escape")
    expect(terminal.locator("[data-terminal-status]")).to_have_text(
        "Press Tab now to leave the terminal."
    )
    terminal.keyboard.press("Tab")
    expect(terminal.locator(".xterm-helper-textarea")).not_to_be_focused()


def test_a_paste_of_several_lines_runs_nothing_before_enter(terminal):
    terminal.locator(".xterm-helper-textarea").focus()
    terminal.evaluate(
        "text => document.querySelector('[data-terminal]').terminal.term.paste(text)",
        "echo a''1\necho b''2",
    )
    expect_shown(terminal, "echo b''2")
    assert "a1" not in screen(terminal)
    terminal.keyboard.press("Enter")
    expect_shown(terminal, "b2")


def test_the_last_output_can_be_read_as_text(terminal):
    type_line(terminal, "echo 漢字 as te''xt")
    expect_shown(terminal, "漢字 as text")
    terminal.get_by_role("button", name="Last output as text").click()
    expect(terminal.locator("[data-terminal-text] pre")).to_contain_text("漢字 as text")
    expect(terminal.locator("[data-terminal-text] pre")).to_be_focused()


def test_a_shell_that_has_ended_makes_room_for_a_new_one(tabs, student):
    page = opened(tabs.open(storage_state=student), "/terminal/?number=2")
    type_line(page, "exit")
    page.get_by_role("button", name="Open a new shell").click()
    page.wait_for_selector(OPEN)
    type_line(page, "echo ne''w")
    expect_shown(page, "new")


def test_run_types_its_command_where_the_student_chose_so(tabs, student):
    page = tabs.open(storage_state=student)
    page.goto("/lessons/tiny/")
    page.get_by_role("button", name="Terminal", exact=True).click()
    page.wait_for_selector(OPEN)
    expect_shown(page, "$")
    page.get_by_label("Run types its command here").check()
    hello = run_to_the_end(page, "hello")
    expect_shown(page, "\nhello from the lab")
    assert output_of(hello).strip() == "hello from the lab"
    expect(hello.locator(".run-facts")).to_contain_text("Typed into the terminal.")
    expect(hello.locator(".run-state")).to_have_text("Finished, exit code 0")
    page.get_by_label("Run types its command here").uncheck()


def test_run_types_nothing_into_a_program_and_says_so_on_the_page(tabs, student):
    page = tabs.open(storage_state=student)
    page.goto("/lessons/tiny/")
    page.get_by_role("button", name="Terminal", exact=True).click()
    page.wait_for_selector(OPEN)
    type_line(page, "echo be''gun; cat")
    expect_shown(page, "begun")
    page.get_by_label("Run types its command here").check()
    hello = press_run(page, "hello")
    expect(hello.locator(".run-state")).to_have_text("Not run")
    expect(hello.locator(".run-detail")).to_contain_text("busy with another program")
    type_line(page, "\x04")
    page.get_by_label("Run types its command here").uncheck()


def test_nothing_of_the_terminal_is_loaded_before_it_is_opened(tabs, student):
    page, asked = tabs.open(storage_state=student), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/lessons/tiny/")
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "xterm" in url] == []


def test_on_a_phone_there_are_keys_that_its_keyboard_lacks(tabs, student):
    page = opened(tabs.open(storage_state=student, viewport=PHONE))
    type_line(page, "echo on a pho''ne; sleep 60")
    expect_shown(page, "on a phone")
    page.get_by_role("button", name="Ctrl").click()
    page.keyboard.press("c")
    expect_shown(page, "^C")
    page.get_by_role("button", name="Up", exact=True).click()
    expect_shown(page, "sleep 60", times=2)
    page.get_by_role("button", name="Ctrl").click()
    page.keyboard.press("u")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]


@pytest.mark.parametrize("path", ["/terminal/", "/help/"])
def test_no_rule_of_axe_is_broken_and_every_paper_carries_it(tabs, student, path):
    page = tabs.open(storage_state=student)
    page.goto(path)
    page.wait_for_load_state("networkidle")
    shown = unfolded(page, path)
    assert breaches(shown) + breaches(shown, LOOKS[1:], ["color-contrast"]) == []


# Looking in


@pytest.fixture
def watched(open_as):
    """A student's terminal, and their teacher who looks at it."""
    student = opened(open_as("student1"))
    teacher = open_as("teacher")
    teacher.goto("/terminals/of/student1/")
    teacher.get_by_role("link", name="Look in").first.click()
    teacher.wait_for_selector(OPEN)
    return student, teacher


def test_a_student_sees_who_looks_lends_the_keyboard_and_ends_it(watched):
    student, teacher = watched
    watchers = student.locator("[data-terminal-watchers]")
    expect(watchers).to_contain_text("teacher")
    type_line(teacher, "echo not al''lowed")
    type_line(student, "echo by the stu''dent")
    expect_shown(teacher, "by the student")
    assert "echo not" not in screen(student)
    watchers.get_by_role("button", name="Lend the keyboard").click()
    expect(watchers.get_by_role("button", name="Take the keyboard back")).to_be_visible()
    expect(teacher.locator("[data-name]")).to_be_visible()
    teacher.wait_for_function(
        "() => !document.querySelector('[data-terminal]').terminal.term.options.disableStdin"
    )
    type_line(teacher, "echo by the tea''cher")
    expect_shown(student, "by the teacher")
    watchers.get_by_role("button", name="End their look").click()
    expect(teacher.locator("[data-terminal-status]")).to_contain_text("may not be seen any more")
    expect(watchers).to_be_hidden()


def test_who_logs_out_leaves_their_terminal(tabs):
    page = tabs.open()
    sign_up(page)
    opened(page)
    away = page.context.new_page()
    away.goto("/")
    away.get_by_role("button", name="Log out").click()
    expect(page.locator("[data-terminal-status]")).to_contain_text("You are logged out")


# Replay


def replay_with(page, username, words):
    """Where the newest recording is, once it holds the words."""

    def holds_words():
        page.goto(f"/terminals/of/{username}/")
        links = page.get_by_role("link", name="Replay")
        found.append(links.first.get_attribute("href") if links.count() else "/nowhere/")
        return words in page.request.get(f"{found[-1]}recording.txt").text()

    found = []
    wait_until(holds_words)
    return found[-1]


def test_a_recording_ends_on_the_very_screen_that_the_student_saw(open_as):
    page = opened(open_as("student2"))
    type_line(page, "printf 'a\\tb\\n'; ls --color=always /; echo 漢字; echo last li''ne")
    expect_shown(page, f"last line\n{PROMPT}")
    seen = [line.rstrip() for line in screen(page).splitlines()]
    page.goto(replay_with(page, "student2", f"\nlast line\n{PROMPT}"))
    page.wait_for_function("() => globalThis.replayPlayer?.().getDuration() > 0")
    page.evaluate("replayPlayer().seek('100%')")
    page.wait_for_function(
        "() => document.querySelector('.ap-term-text')?.textContent.includes('last line')"
    )
    replayed = [line.rstrip() for line in page.locator(".ap-line").all_text_contents()]
    assert "\n".join(replayed).rstrip() == "\n".join(seen).rstrip()
    page.get_by_label("Find a command").fill("LAST LINE")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("[data-seek]").first).to_be_visible()
    assert breaches(unfolded(page, page.url)) == []
