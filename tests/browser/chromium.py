"""Debian's Chromium, driven by Playwright, and tabs in it that note every complaint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    ViewportSize,
    sync_playwright,
)

EXECUTABLE = "/usr/bin/chromium"
ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
TABLET: ViewportSize = {"width": 768, "height": 1024}
PHONE: ViewportSize = {"width": 390, "height": 844}
SMALL_PHONE: ViewportSize = {"width": 320, "height": 640}
PATIENCE_MS = 60_000
"""For what must come: far longer than it takes, since other work may hold the machine up."""


@contextmanager
def launch_chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=ARGS)
        yield browser
        browser.close()


class Tabs:
    """Opens pages of one site, and keeps what their consoles complained of."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    def open(self, **options: Any) -> Page:
        """A page in a fresh browser profile, 1280 pixels wide unless `options` say otherwise."""
        context = self._browser.new_context(
            base_url=self._url, **({"viewport": DESKTOP, "reduced_motion": "reduce"} | options)
        )
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", self._note)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self._contexts.append(context)
        return context.new_page()

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _note(self, message: ConsoleMessage) -> None:
        is_bad = message.type in ("error", "warning")
        if is_bad and not _is_about_a_status(message):
            self.complaints.append(message.text)


def _is_about_a_status(message: ConsoleMessage) -> bool:
    """That the page itself, such as the one for "not found", came with an error's status."""
    is_page = message.page is not None and message.location["url"] == message.page.url
    return is_page and message.text.startswith("Failed to load resource")
