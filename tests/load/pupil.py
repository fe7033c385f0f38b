"""One student of the school in small: reads, answers, presses Run, thinks in between."""

from __future__ import annotations

import random
import time
import urllib.parse
from collections import defaultdict
from enum import Enum

from tests.bench.production import Site
from tests.bench.site_client import SiteClient

LESSON, BLOCK, GAP = "tiny", "hello", "animal"
THINKS_S = (2.0, 8.0)


class Action(Enum):
    READ = "read the lesson"
    ANSWER = "save an answer"
    START = "first run, lab starts"
    OUTPUT = "run: first output"
    RECEIPT = "run: receipt"


class Tally:
    """Seconds by action, and what went wrong, of everybody together."""

    def __init__(self) -> None:
        self.times: dict[Action, list[float]] = defaultdict(list)
        self.errors: list[str] = []


class Browser(SiteClient):
    def fetch(self, method: str, path: str, body: str = "") -> bytes:
        """A page, whole. Fails where its status isn't 200."""
        return self._ask(method, path, body)


class Pupil:
    def __init__(self, site: Site, session: str, tally: Tally) -> None:
        self._browser = Browser(site.pages, site.streams, session, LESSON)
        self._tally = tally
        self._has_lab = False

    def learn_until(self, over_at: float) -> None:
        """Every mistake is counted; none ends the lesson."""
        while time.monotonic() < over_at:
            for act in (self._read, self._answer, self._run):
                self._think(over_at)
                try:
                    act()
                except Exception as error:  # noqa: BLE001 - whatever it is, it is to be counted
                    self._tally.errors.append(f"{act.__name__}: {error!r}"[:300])

    def _think(self, over_at: float) -> None:
        time.sleep(max(0.0, min(random.uniform(*THINKS_S), over_at - time.monotonic())))

    def _read(self) -> None:
        self._timed(Action.READ, "GET", f"/lessons/{LESSON}/")

    def _answer(self) -> None:
        text = f"a cat {random.random()}"
        body = urllib.parse.urlencode({f"gap.{GAP}": text})
        self._timed(Action.ANSWER, "POST", f"/lessons/{LESSON}/gaps/{GAP}/", body)

    def _run(self) -> None:
        timings = self._browser.press(BLOCK)
        if not self._has_lab:
            self._has_lab = True
            self._tally.times[Action.START].append(timings.receipt_s)
            return
        self._tally.times[Action.OUTPUT].append(timings.first_output_s)
        self._tally.times[Action.RECEIPT].append(timings.receipt_s)

    def _timed(self, action: Action, method: str, path: str, body: str = "") -> None:
        began = time.perf_counter()
        self._browser.fetch(method, path, body)
        self._tally.times[action].append(time.perf_counter() - began)
