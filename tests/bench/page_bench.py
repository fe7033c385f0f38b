"""A lesson's page for a logged-in student, against an empty view behind the same log-in.

The floor is a view that answers nothing: it passes every middleware of the site with the same
session cookie, and its log-in is checked, which reads the session and the account.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from tests.bench.modules import ask_module
from tests.bench.site_client import Connection
from tests.browser.served import ServedSite, own_environment

LESSON = "/lessons/checkpoints/"
EMPTY = "/healthz"
CLIENTS = 4
RATE_SECONDS = 1.5
RATE_ROUNDS = 3


def measure_in_process() -> dict[str, Any]:
    """Medians in seconds, and what `tests.bench.page_in_process` says besides."""
    with tempfile.TemporaryDirectory(prefix="agent-lab-bench-") as folder:
        env = own_environment() | {"VAR_DIR": folder}
        return dict(ask_module("tests.bench.page_in_process", env=env))


def compare_rates(site: ServedSite) -> dict[str, float]:
    """Answers a second of the served site, by turns: `empty`, `page`."""
    made = ask_module("tests.bench.make_reader", env=site.env)
    address = site.url.removeprefix("http://")
    headers = {"Cookie": f"sessionid={made['session']}"}
    rates: dict[str, list[float]] = {"empty": [], "page": []}
    for _ in range(RATE_ROUNDS):
        rates["empty"].append(_rate(address, EMPTY, headers))
        rates["page"].append(_rate(address, LESSON, headers))
    return {name: median(found) for name, found in rates.items()}


def _rate(address: str, path: str, headers: Mapping[str, str]) -> float:
    """Answers a second that CLIENTS get who ask again and again."""
    until = time.perf_counter() + RATE_SECONDS
    with ThreadPoolExecutor(CLIENTS) as pool:
        asked = [pool.submit(_ask_until, until, address, path, headers) for _ in range(CLIENTS)]
        return sum(each.result() for each in asked) / RATE_SECONDS


def _ask_until(until: float, address: str, path: str, headers: Mapping[str, str]) -> int:
    connection, count = Connection(address), 0
    while time.perf_counter() < until:
        connection.ask("GET", path, headers).read()
        count += 1
    return count


def by_turns(rounds: int, **calls: Callable[[], object]) -> dict[str, float]:
    """The median seconds of CPU of each call; they are called by turns, so that noise hits all
    alike. On a quiet machine a call takes just as long; on a busy one, whoever takes longer is
    interrupted more often, and no ratio of wall times would hold."""
    took: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.thread_time()
            call()
            took[name].append(time.thread_time() - began)
    return {name: median(found) for name, found in took.items()}


def lines_of(found: Mapping[str, Any], rates: Mapping[str, float]) -> Sequence[str]:
    ms = {name: f"{seconds * 1000:.2f}" for name, seconds in found.items() if name != "queries"}
    return (
        f"lesson page (ms): {ms['page']}, an empty view with log-in {ms['empty']}, "
        f"one without {ms['empty_without_login']}; {found['queries']} queries",
        f"with 1,000 more stored runs (ms): {ms['page_grown']}",
        f"a lesson of 200 gaps and 60 blocks (ms): read {ms['parse']}, "
        f"first page {ms['first_render']}, later pages {ms['render']}",
        f"on the server: {rates['page']:.0f} pages/s, {rates['empty']:.0f} empty answers/s",
    )
