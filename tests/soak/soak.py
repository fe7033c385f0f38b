"""`make soak`: thirty labs in use while a random part is killed every few seconds; then counts.

Not a test of the suite: it takes ten minutes (SOAK_S). It needs PostgreSQL and Redis of its own,
which `bin/soak` brings up.
"""

from __future__ import annotations

import os
import random
import sys
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Thread
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from django.db import connection

from course.models import Answer, User
from labs.models import Lab, Run
from labs.requests import request_stop_lab
from tests.engine_fixtures import wait_until
from tests.faults.counted import read_checkpoint
from tests.faults.sites import Site
from tests.soak.parts import Parts

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]

SOAK_S = float(os.environ.get("SOAK_S", "600"))
STUDENTS = 30
AT_ONCE = 8
SETTLED_WITHIN_S = 180
FILE = "executions"


@dataclass
class Student:
    """One who presses and writes, and remembers what was promised."""

    user: User
    keys: list[uuid.UUID] = field(default_factory=list)
    saved: str = ""
    """The last answer that the site said was saved."""


def test_soak(make_site, broker):
    site = make_site()
    students = [Student(site.make_student()) for _ in range(STUDENTS)]
    parts, is_over = Parts(site, broker), Event()
    killer = Thread(target=parts.kill_until, args=(is_over,))
    killer.start()
    use_until(site, students, time.monotonic() + SOAK_S)
    is_over.set()
    killer.join()
    counts = settle_and_count(site, students, parts)
    sys.stdout.write("\n" + "\n".join(f"{name}: {count}" for name, count in counts.items()) + "\n")
    assert {name: counts[name] for name in counts if name.startswith("WRONG")} == {
        name: 0 for name in counts if name.startswith("WRONG")
    }


def use_until(site: Site, students: list[Student], end_at: float) -> None:
    """Each worker of the pool has students of its own, so that nobody does two things at once."""

    def use(mine: list[Student]) -> None:
        try:
            while time.monotonic() < end_at:
                student = random.choice(mine)
                answer(site, student)
                press(site, student, end_at)
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(use, [students[number::AT_ONCE] for number in range(AT_ONCE)]))


def answer(site: Site, student: Student) -> None:
    text = uuid.uuid4().hex
    fields = {"username": student.user.username, "text": text}
    if ask(site, "answer", fields):
        student.saved = text


def press(site: Site, student: Student, end_at: float) -> None:
    """Presses once; the same press again, with its key, until the site has answered."""
    if Run.objects.filter(owner=student.user).active().exists():
        return
    key = uuid.uuid4()
    naps = random.randrange(1, 40)
    script = f"echo {key} >> {FILE}; for i in $(seq {naps}); do echo $i; sleep 0.05; done"
    line = f"docker exec agent sh -c '{script}'"
    fields = {"username": student.user.username, "key": str(key), "line": line}
    while time.monotonic() < end_at:
        if ask(site, "press", fields):
            student.keys.append(key)
            return
        time.sleep(0.3)


def ask(site: Site, path: str, fields: dict[str, str]) -> bool:
    """True where the site has said yes."""
    try:
        urlopen(f"{site.address}/{path}", urlencode(fields).encode(), 20).close()
    except (URLError, OSError):
        return False
    return True


def settle_and_count(site: Site, students: list[Student], parts: Parts) -> dict[str, int]:
    runs = Run.objects.filter(owner__in=[student.user for student in students])
    began_at = time.monotonic()
    wait_until(lambda: not runs.active().exists(), SETTLED_WITHIN_S)
    labs = Lab.objects.filter(host=site.host)
    settled = [Lab.State.READY, Lab.State.PAUSED, Lab.State.ABSENT]
    wait_until(lambda: not labs.exclude(state__in=settled).exists(), SETTLED_WITHIN_S)
    wait_until(lambda: not has_unsaved(labs), SETTLED_WITHIN_S)
    settled_s = time.monotonic() - began_at
    untrue = len(untrue_labs(site, labs))
    for lab in labs:
        request_stop_lab(lab, actor=lab.owner)
    wait_until(lambda: not labs.exclude(state=Lab.State.ABSENT).exists(), SETTLED_WITHIN_S)
    wait_until(lambda: not site.engine.list_labs(), SETTLED_WITHIN_S)
    executions = [count_executions(student) for student in students]
    return {
        **{f"killed {name}": count for name, count in sorted(parts.killed.items())},
        **{f"runs {state}": n for state, n in Counter(run.state for run in runs).items()},
        "presses answered": sum(len(student.keys) for student in students),
        "seconds to settle": int(settled_s),
        "WRONG labs whose row is not true": untrue,
        "WRONG presses without their one run": sum(without_run(student) for student in students),
        "WRONG runs executed twice": sum(
            count > 1 for counted in executions for count in counted.values()
        ),
        "WRONG finished runs whose file is lost": lost_files(runs, executions, parts),
        "finished runs whose lab was killed before it was saved": died_unsaved(
            runs, executions, parts
        ),
        "WRONG receipts with output missing": sum(has_gap(run) for run in runs),
        "WRONG answers lost": sum(is_lost(student) for student in students),
        "WRONG containers left": len(site.engine.list_labs()),
    }


def has_unsaved(labs) -> bool:
    return labs.filter(state=Lab.State.READY).exclude(unsaved_since_at=None).exists()


def untrue_labs(site: Site, labs) -> list[Lab]:
    """Rows that say something else than the engine."""
    seen = {status.container_id: status.state for status in site.engine.list_labs()}
    words = {"running": Lab.State.READY, "paused": Lab.State.PAUSED}
    true = {lab.pk: words.get(seen.get(lab.container_id, ""), Lab.State.ABSENT) for lab in labs}
    return [lab for lab in labs if lab.state != true[lab.pk]]


def without_run(student: Student) -> int:
    known = Counter(Run.objects.filter(owner=student.user).values_list("key", flat=True))
    return sum(known[key] != 1 for key in student.keys)


def count_executions(student: Student) -> Counter[str]:
    """How often each key stands in the newest saved files."""
    lab = Lab.objects.get(owner=student.user)
    if not lab.checkpoints.exists():
        return Counter()
    return Counter(read_checkpoint(lab, FILE).decode().split())


def missing(runs, executions):
    counted = Counter()
    for found in executions:
        counted.update(found)
    return [run for run in runs.filter(state=Run.State.FINISHED) if not counted[str(run.key)]]


def lost_files(runs, executions, parts: Parts) -> int:
    """Of runs whose lab nobody killed: those had every chance to be saved."""
    return sum(r.container_id not in parts.killed_containers for r in missing(runs, executions))


def died_unsaved(runs, executions, parts: Parts) -> int:
    return sum(run.container_id in parts.killed_containers for run in missing(runs, executions))


def has_gap(run: Run) -> bool:
    """Some of the output that was stored does not follow on the piece before it."""
    ends = [0, *(chunk.end for chunk in run.chunks.all())]
    is_contiguous = [chunk.offset for chunk in run.chunks.all()] == ends[:-1]
    return not is_contiguous or (run.state == Run.State.FINISHED and ends[-1] != run.bytes_total)


def is_lost(student: Student) -> bool:
    stored = Answer.objects.filter(user=student.user, gap="animal").first()
    return bool(student.saved) and (stored is None or stored.text != student.saved)
