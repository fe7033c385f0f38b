"""What readers do on the site's pages, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from playwright.sync_api import Locator, Page, expect

PASSPHRASE = "four quiet words here"
_numbers = count(1)


def log_in(page: Page, passwords: Mapping[str, str], username: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Passphrase").fill(passwords[username])
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def sign_up(page: Page, path: str = "/accounts/signup/?next=/lessons/tiny/") -> str:
    """The name of the new student, who is then on the page that they came from."""
    page.goto(path)
    return fill_in_sign_up(page)


def fill_in_sign_up(page: Page) -> str:
    username = f"reader{next(_numbers)}"
    page.get_by_label("Username").fill(username)
    page.get_by_label("Passphrase").fill(PASSPHRASE)
    page.get_by_role("button", name="Make my account").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    return username


def block(page: Page, block_id: str) -> Locator:
    return page.locator(f"#block-{block_id}")


def press_run(page: Page, block_id: str) -> Locator:
    """The block with the new run that was asked for, whether or not it has an earlier one."""
    pressed = block(page, block_id)
    earlier = pressed.locator(".run").evaluate_all("runs => runs.map(run => run.id)")
    pressed.get_by_role("button", name="Run").click()
    is_new = "".join(f":not(#{run_id})" for run_id in earlier)
    expect(pressed.locator(f".run{is_new}")).to_be_visible()
    return pressed


def run_to_the_end(page: Page, block_id: str) -> Locator:
    """The block with its finished run."""
    pressed = press_run(page, block_id)
    expect_over(pressed)
    return pressed


def expect_over(pressed: Locator) -> None:
    expect(pressed.locator(".run-state")).to_contain_text("exit code")
    expect(pressed.get_by_role("button", name="Run")).to_be_enabled()


def output_of(shown: Locator) -> str:
    """What a run printed, without the words for screen readers."""
    lines = shown.locator("[data-run-output] .output-line")
    return "".join(
        lines.evaluate_all(
            """lines => lines.map(line => {
                const copy = line.cloneNode(true);
                copy.querySelectorAll(".visually-hidden").forEach(words => words.remove());
                return copy.textContent;
            })"""
        )
    )
