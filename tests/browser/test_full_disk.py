"""The disk with the site's database is full: the page says so, and all goes on with room again."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import Tabs
from tests.browser.served import serve_site
from tests.browser.steps import block, expect_over, press_run, run_to_the_end, sign_up
from tests.engine_fixtures import wait_until
from tests.faults.disks import small_disk

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a disk"),
]

MIB = 96
OWN_WORDS = "Answer: A cell of a teacher"
FULL = "the site's disk is full. What was saved is kept."


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "var", mib=MIB) as disk:
        yield disk


@pytest.fixture
def tiny(lab_image, disk, chromium):
    """The tiny lesson, of a site whose disk is small, in a browser that may complain."""
    with serve_site(lab_image, str(disk.folder)) as site:
        tabs = Tabs(chromium, site.url)
        page = tabs.open()
        sign_up(page)
        yield page
        tabs.close()


def fill(disk) -> None:
    """With the database's own journal emptied before: else that would have room left."""
    with closing(sqlite3.connect(disk.folder / "agent-lab.sqlite3")) as database:
        wait_until(lambda: database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
    disk.fill()


def test_a_page_says_what_a_full_disk_kept_and_saves_the_rest_once_there_is_room(tiny, disk):
    answer, status = tiny.get_by_label(OWN_WORDS), tiny.locator("#gap-own-words-status")
    answer.fill("kept")
    expect(status).to_have_text("saved")
    run_to_the_end(tiny, "hello")

    fill(disk)
    answer.fill("typed on a full disk")
    expect(status).to_contain_text(f"Not saved: {FULL}")
    block(tiny, "hello").get_by_role("button", name="Run").click()
    expect(block(tiny, "hello").get_by_role("alert")).to_contain_text(f"Nothing was done: {FULL}")
    elsewhere = tiny.context.new_page()
    elsewhere.goto("/lessons/tiny/")
    expect(elsewhere.locator("#block-hello")).to_contain_text("hello from the lab")

    disk.make_room()
    expect(status).to_have_text("saved")
    slow = press_run(tiny, "slow")
    expect(slow).to_contain_text("line 2")
    fill(disk)
    answer.fill("typed while a command runs")
    expect(status).to_contain_text("Not saved")
    disk.make_room()
    expect(slow).to_contain_text("line 10")
    expect_over(slow)
    tiny.reload()
    expect(tiny.get_by_label(OWN_WORDS)).to_have_value("typed while a command runs")
