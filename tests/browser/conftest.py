"""One served site and one Chromium for all browser tests; tabs that must not complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser.chromium import PATIENCE_MS, Tabs, launch_chromium
from tests.browser.pages import do_some_work, make_names
from tests.browser.served import ServedSite, serve_site
from tests.browser.steps import log_in, sign_up

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.docker)


@pytest.fixture(scope="package")
def site(lab_image: str) -> Iterator[ServedSite]:
    with serve_site(lab_image) as site:
        yield site


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Ends with these tests: while it runs, Django takes this thread for an event loop's."""
    expect.set_options(timeout=PATIENCE_MS)
    with launch_chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def logged_in(chromium: Browser, site: ServedSite) -> Callable[[str], StorageState]:
    """The cookies of a demo account, which logs in once for all tests."""
    known: dict[str, StorageState] = {}

    def cookies_of(username: str) -> StorageState:
        if username not in known:
            tabs = Tabs(chromium, site.url)
            page = tabs.open()
            log_in(page, site.passwords, username)
            known[username] = page.context.storage_state()
            tabs.close()
        return known[username]

    return cookies_of


@pytest.fixture(scope="package")
def work_is_done(
    chromium: Browser, site: ServedSite, logged_in: Callable[[str], StorageState]
) -> str:
    """Something on student1's pages to look at; where their newest run is."""
    tabs = Tabs(chromium, site.url)
    newest_run = do_some_work(tabs.open(storage_state=logged_in("student1")))
    tabs.close()
    return newest_run


@pytest.fixture(scope="package")
def names(site: ServedSite, work_is_done: str) -> dict[str, Any]:
    """For the braces in the addresses of all pages, with something to see on them."""
    return {**make_names(site), "run": work_is_done}


@pytest.fixture
def tabs(chromium: Browser, site: ServedSite) -> Iterator[Tabs]:
    """Opens pages; whatever a console said against them fails the test."""
    tabs = Tabs(chromium, site.url)
    yield tabs
    tabs.close()
    assert tabs.complaints == []


@pytest.fixture(scope="module")
def student(chromium: Browser, site: ServedSite) -> StorageState:
    """The cookies of a student of this test module's own."""
    tabs = Tabs(chromium, site.url)
    page = tabs.open()
    sign_up(page)
    state = page.context.storage_state()
    tabs.close()
    return state


@pytest.fixture
def tiny(tabs: Tabs, student: StorageState) -> Page:
    """The tiny lesson, opened by the module's student."""
    page = tabs.open(storage_state=student)
    page.goto("/lessons/tiny/")
    return page


@pytest.fixture
def open_as(tabs: Tabs, logged_in: Callable[[str], StorageState]) -> Callable[..., Page]:
    """Opens a page as somebody: a demo account's name, or `visitor`."""

    def open_page(person: str, **options: Any) -> Page:
        state = None if person == "visitor" else logged_in(person)
        return tabs.open(storage_state=state, **options)

    return open_page
