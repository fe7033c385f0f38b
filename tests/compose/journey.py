"""A student's way through the whole composition, in Chromium by its proxy: `bin/try-compose`."""

from __future__ import annotations

import json
import os
import ssl
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PATIENCE_MS, Tabs, launch_chromium
from tests.browser.steps import block, log_in, output_of, run_to_the_end
from tests.browser.test_terminal import expect_shown, opened, type_line

URL = os.environ["COMPOSE_SITE_URL"]
PASSWORDS = json.loads(Path(os.environ["COMPOSE_ACCOUNTS"]).read_text())
FIRST_BLOCK = "write-record"
UNKNOWN_CERTIFICATE = ssl._create_unverified_context()


@pytest.fixture(scope="module")
def tabs():
    expect.set_options(timeout=PATIENCE_MS)
    with launch_chromium() as browser:
        tabs = Tabs(browser, URL)
        yield tabs
        tabs.close()
        assert tabs.complaints == []


@pytest.fixture(scope="module")
def student(tabs):
    """A student's page, logged in."""
    page = tabs.open(ignore_https_errors=True)
    log_in(page, PASSWORDS, "student1")
    return page


@pytest.fixture
def try_from(tabs):
    """Wrong passphrases for one name from addresses, as a proxy in front says: the statuses."""

    def try_from(*addresses):
        page = tabs.open(ignore_https_errors=True)
        page.goto("/accounts/login/")
        token = page.locator("main input[name=csrfmiddlewaretoken]").first.input_value()
        form = {"login": "nobody", "password": "wrong", "csrfmiddlewaretoken": token}
        headers = [{"X-Forwarded-For": address, "Referer": URL} for address in addresses]
        tried = [page.request.post("/accounts/login/", form=form, headers=h) for h in headers]
        return [answer.status for answer in tried]

    return try_from


def status_of(path):
    try:
        with urllib.request.urlopen(URL + path, timeout=10, context=UNKNOWN_CERTIFICATE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_output_arrives_by_the_proxy_while_it_is_written(student):
    student.goto("/lessons/checkpoints/")
    run_to_the_end(student, FIRST_BLOCK)
    assert "record.js" in output_of(block(student, FIRST_BLOCK))


def test_an_answer_is_kept(student):
    gap = student.locator("textarea.gap-input").first
    gap.fill("kept by the composition")
    expect(student.locator(".gap-status").first).to_contain_text("saved")
    student.reload()
    expect(gap).to_have_value("kept by the composition")


def test_a_terminal_opens_by_the_proxy_and_has_the_files_of_the_run(student):
    opened(student)
    type_line(student, "echo by''proxy $(node --version)")
    expect_shown(student, "byproxy v22")


def test_the_site_is_ready_and_tells_its_metrics_to_nobody_outside():
    assert status_of("/readyz") == 200
    assert status_of("/metrics") == 404


def test_a_trusted_proxy_in_front_tells_visitors_apart(try_from):
    """Wrong passphrases make a name wait for one address, whatever it says to come from."""
    invented = [f"203.0.113.{number}, 198.51.100.7" for number in range(6)]
    assert try_from(*invented)[-1] == 429
    assert try_from("198.51.100.8") == [200]
