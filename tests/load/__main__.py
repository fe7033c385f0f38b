"""A school in small: students who read, answer and press Run on two lab hosts while their teachers
watch, on PostgreSQL and Redis, all on this machine. Prints times of each action, errors (must be
none), connections and memory.

`make load LOAD_STUDENTS=300 LOAD_CLASSES=10 LOAD_S=300`; needs the services that
`bin/with-services` names, and root for the second engine. With LOAD_WARM=yes the teachers have all
labs warmed first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, LiteralString

import psycopg

from tests.bench.production import CELERY, POOL, WORKER, Site, _process, serve_in_production
from tests.browser.served import REPOSITORY
from tests.engine_fixtures import wait_until
from tests.faults.engines import PrivateEngine
from tests.load.costs import memory_mib, postgres_cpu_s, site_cpu_s
from tests.load.pupil import Action, Pupil, Tally, Teacher

STUDENTS = int(os.environ.get("LOAD_STUDENTS", "60"))
CLASSES = int(os.environ.get("LOAD_CLASSES", "4"))
IS_WARM = bool(os.environ.get("LOAD_WARM"))
WARM_WITHIN_S = 1200
SECONDS = float(os.environ.get("LOAD_S", "60"))
SECOND_HOST = "second"


def main() -> int:
    image = sys.argv[1]
    with (
        second_engine(image) as engine,
        serve_in_production(image) as site,
        second_host(site, engine),
    ):
        tally = go_to_school(site)
        said = f"{STUDENTS} students in {CLASSES} classes, {SECONDS:.0f} s, two lab hosts"
        say(f"{said} on {os.cpu_count()} cores")
        report(tally)
        say(f"labs by host: {ask(site, LABS_BY_HOST)}")
        say(f"memory of the site's processes: {memory_mib(site.env['VAR_DIR'])} MiB")
    return 1 if tally.errors else 0


@contextmanager
def second_engine(image: str) -> Iterator[PrivateEngine]:
    engine = PrivateEngine()
    engine.start()
    try:
        engine.load(image)
        yield engine
    finally:
        engine.take_down()


@contextmanager
def second_host(site: Site, engine: PrivateEngine) -> Iterator[None]:
    """Its two workers; each host takes a little more than half of the school."""
    env = {**site.env, **POOL, "LAB_HOST": SECOND_HOST, "DOCKER_HOST": engine.url}
    queues = (f"labs,lab.{SECOND_HOST}", f"labs.control,lab.{SECOND_HOST}.control")
    with ExitStack() as running:
        for name, queue, threads in zip(("runs", "control"), queues, ("64", "8"), strict=True):
            named = ("--hostname", f"{name}@{SECOND_HOST}", "-Q", queue, "--concurrency", threads)
            running.enter_context(_process((*CELERY, "worker", *WORKER, *named), env))
        wait_until(lambda: ask(site, HOSTS_UP) == 2, within_s=60)
        ask(site, SET_CAPACITY)
        yield


def go_to_school(site: Site) -> Tally:
    """Everybody comes at once, and stays for SECONDS."""
    tally = Tally()
    classes = make_classes(site)
    teachers = [Teacher(site, made, tally) for made in classes]
    pupils = [Pupil(site, key, tally) for made in classes for key in made["students"]]
    if IS_WARM:
        warm_labs(site)
    over_at = time.monotonic() + SECONDS
    with measured(site, tally), ThreadPoolExecutor(STUDENTS + CLASSES + 1) as school:
        for teacher in teachers:
            school.submit(teacher.watch_until, over_at)
        for pupil in pupils:
            school.submit(pupil.learn_until, over_at)
        school.submit(count_connections, site, tally, over_at)
    return tally


def make_classes(site: Site) -> Sequence[Mapping[str, Any]]:
    made: Sequence[Mapping[str, Any]] = json.loads(
        run_python(site, "-m", "tests.load.make_school", str(STUDENTS), str(CLASSES))
    )
    return made


def warm_labs(site: Site) -> None:
    began = time.monotonic()
    ask(site, WARM_ALL)
    wait_until(lambda: ask(site, WARM) == STUDENTS, within_s=WARM_WITHIN_S)
    say(f"all labs warm and checked after {time.monotonic() - began:.0f} s")


def count_connections(site: Site, tally: Tally, over_at: float) -> None:
    with psycopg.connect(site.env["DATABASE_URL"], autocommit=True) as line:
        while time.monotonic() < over_at:
            tally.most_connections = max(tally.most_connections, number(line, CONNECTIONS))
            time.sleep(1)


@contextmanager
def measured(site: Site, tally: Tally) -> Iterator[None]:
    """Says what the time within cost: CPU, bytes, connections."""
    with psycopg.connect(site.env["DATABASE_URL"], autocommit=True) as line:
        before = used(site, line)
        yield
        cpu_s, database_cpu_s, stored = (
            after - then for after, then in zip(used(site, line), before, strict=True)
        )
        runs = number(line, "SELECT count(*) FROM labs_run")
    acts = max(1, sum(map(len, tally.times.values())) - len(tally.times[Action.OUTPUT]))
    say(
        f"{acts} actions, {runs} of them runs; each cost {1000 * cpu_s / acts:.1f} ms of the site's"
    )
    say(f"CPU and {1000 * database_cpu_s / acts:.1f} ms of PostgreSQL's, {stored / acts:.0f} bytes")
    say(f"connections to PostgreSQL: {tally.most_connections} at most")


def used(site: Site, line: psycopg.Connection[Any]) -> tuple[float, float, int]:
    """Seconds of CPU of the site and of its database, and bytes of the database."""
    cpu_s = site_cpu_s(site.env["VAR_DIR"])
    size = "SELECT pg_database_size(current_database())"
    return cpu_s, postgres_cpu_s(line.info.backend_pid), number(line, size)


def number(line: psycopg.Connection[Any], query: LiteralString) -> int:
    return int(line.execute(query).fetchall()[0][0])


CONNECTIONS: LiteralString = "SELECT count(*) - 2 FROM pg_stat_activity WHERE datname IS NOT NULL"
"""Without those that count and measure."""


PUPILS = "User.objects.filter(username__startswith='pupil')"
WARM_ALL = f"request_muster({PUPILS}, actor=User.objects.get(username='teacher0'))"
WARM = "Muster.objects.filter(state='good').count()"
HOSTS_UP = "Host.objects.filter(answered_at__isnull=False).count()"
SET_CAPACITY = f"Host.objects.update(capacity_labs={STUDENTS // 2 + 5}, capacity_bytes=2**45)"
LABS_BY_HOST = "{host.name: host.labs.count() for host in Host.objects.order_by('name')}"


def ask(site: Site, expression: str) -> object:
    """What an expression says of the site's rows."""
    lines = (
        "import django, json",
        "django.setup()",
        "from course.models import User",
        "from labs.models import Host, Muster",
        "from labs.musters import request_muster",
        f"print(json.dumps({expression}))",
    )
    return json.loads(run_python(site, "-c", "\n".join(lines)))


def run_python(site: Site, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=REPOSITORY,
        env={**site.env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout


def report(tally: Tally) -> None:
    say(f"{'':<22}{'times':>7}{'p50':>9}{'p95':>9}{'p99':>9}   (milliseconds)")
    for action in Action:
        times = sorted(tally.times[action])
        shown = "".join(f"{quantile_ms(times, share):>9.0f}" for share in (0.5, 0.95, 0.99))
        say(f"{action.value:<22}{len(times):>7}{shown}")
    say(f"errors: {len(tally.errors)}")
    for error in tally.errors[:10]:
        say(f"  {error}")


def quantile_ms(ordered: Sequence[float], share: float) -> float:
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
