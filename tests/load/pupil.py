"""People of the school in small: a student who reads, answers, presses Run and thinks in between,
and a teacher who looks at the class."""

from __future__ import annotations

import random
import time
import urllib.parse
from collections import defaultdict
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from tests.bench.production import Site
from tests.bench.site_client import SiteClient

LESSON, BLOCK, GAP = "tiny", "hello", "animal"
LOOKS_EVERY_S = 5.0
THINKS_S = (2.0, 8.0)


class Action(Enum):
    READ = "read the lesson"
    ANSWER = "save an answer"
    START = "first run, lab starts"
    OUTPUT = "run: first output"
    RECEIPT = "run: receipt"
    BOARD = "teacher: class board"


class Tally:
    """Seconds by action, and what went wrong, of everybody together."""

    def __init__(self) -> None:
        self.times: dict[Action, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.most_connections = 0


class Browser(SiteClient):
    def fetch(self, method: str, path: str, body: str = "") -> bytes:
        """A page, whole. Fails where its status isn't 200."""
        return self._ask(method, path, body)


class Person:
    """Does this and that until it is over. Every mistake is counted; none ends the lesson."""

    def __init__(self, site: Site, session: str, tally: Tally) -> None:
        self.browser = Browser(site.pages, site.streams, session, LESSON)
        self.tally = tally

    def act(self, deed: Callable[[], None]) -> None:
        try:
            deed()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is to be counted
            self.tally.errors.append(f"{deed.__name__}: {error!r}"[:300])

    def timed(self, action: Action, method: str, path: str, body: str = "") -> None:
        began = time.perf_counter()
        self.browser.fetch(method, path, body)
        self.tally.times[action].append(time.perf_counter() - began)


class Pupil(Person):
    _has_lab = False

    def learn_until(self, over_at: float) -> None:
        while time.monotonic() < over_at:
            for deed in (self._read, self._answer, self._run):
                time.sleep(max(0.0, min(random.uniform(*THINKS_S), over_at - time.monotonic())))
                self.act(deed)

    def _read(self) -> None:
        self.timed(Action.READ, "GET", f"/lessons/{LESSON}/")

    def _answer(self) -> None:
        text = f"a cat {random.random()}"
        body = urllib.parse.urlencode({f"gap.{GAP}": text})
        self.timed(Action.ANSWER, "POST", f"/lessons/{LESSON}/gaps/{GAP}/", body)

    def _run(self) -> None:
        timings = self.browser.press(BLOCK)
        if not self._has_lab:
            self._has_lab = True
            self.tally.times[Action.START].append(timings.receipt_s)
            return
        self.tally.times[Action.OUTPUT].append(timings.first_output_s)
        self.tally.times[Action.RECEIPT].append(timings.receipt_s)


class Teacher(Person):
    def __init__(self, site: Site, made: Mapping[str, Any], tally: Tally) -> None:
        super().__init__(site, made["session"], tally)
        self._board = f"/assignments/{made['assignment']}/board/"

    def watch_until(self, over_at: float) -> None:
        while time.monotonic() < over_at:
            self.act(self._look)
            time.sleep(LOOKS_EVERY_S)

    def _look(self) -> None:
        self.timed(Action.BOARD, "GET", self._board)
