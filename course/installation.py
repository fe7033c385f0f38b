"""Looks over an installation: what it is, what is to be mended, and how. Reads only."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from course.library import lesson_errors, list_lessons
from course.models import User
from labs import hosts
from labs.models import Host

SILENT_S = 30
LEAST_DISK_BYTES = 2 * 1024**3
LEAST_KEY = 40


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    words: str
    advice: str = ""
    """What to do; empty where all is well."""

    @property
    def is_well(self) -> bool:
        return not self.advice


def look_over() -> Iterator[Finding]:
    """Every finding, each as soon as it is known. Without a database there is little to see."""
    yield from _settings()
    yield from _disk()
    yield from _redis()
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        yield Finding(f"The database does not answer: {error}", "Start it, or mend DATABASE_URL.")
        return
    missing = _unapplied()
    yield from missing
    yield from _lessons()
    if not missing:
        for look in NEEDS_ROWS:
            yield from look()


def _settings() -> Iterator[Finding]:
    if settings.DEBUG:
        yield Finding("DEBUG is on: mistakes show settings to readers.", "Unset DEBUG.")
    if len(settings.SECRET_KEY) < LEAST_KEY:
        yield Finding(
            "SECRET_KEY is short.", f"Set one of {LEAST_KEY} signs: bin/make-secrets does."
        )
    if settings.WORKER_IS_EMBEDDED:
        yield Finding("One process: pages, worker and beat together.")
        return
    yield Finding("Several processes, with Redis as their doorbell.")
    if not settings.BEHIND_TLS:
        yield Finding(
            "Without TLS, passphrases cross the network in the open.",
            "Serve with deploy/tls.yml, or set BEHIND_TLS behind a proxy of your own.",
        )


def _disk() -> Iterator[Finding]:
    free = shutil.disk_usage(settings.VAR_DIR).free
    words = f"{free // 1024**2} MiB are free where VAR_DIR is."
    yield Finding(words, "Make room." if free < LEAST_DISK_BYTES else "")
    if not (settings.STATIC_ROOT / "staticfiles.json").exists():
        yield Finding("Static files are not collected.", "Run: manage.py collectstatic --no-input")


def _redis() -> Iterator[Finding]:
    if not settings.CHANNEL_REDIS_URL:
        return
    try:
        with redis.Redis.from_url(settings.CHANNEL_REDIS_URL, socket_timeout=3) as client:
            client.ping()
    except redis.RedisError as error:
        yield Finding(
            f"Redis does not answer: {error}",
            "Start it, or mend REDIS_URL. Until then runs start by the sweep, after some seconds.",
        )
    else:
        yield Finding("Redis answers.")


def _unapplied() -> list[Finding]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return []
    words = f"{len(plan)} migrations are not applied, the first is {plan[0][0]}."
    return [Finding(words, "Back up, then run: manage.py migrate")]


def _lessons() -> Iterator[Finding]:
    if errors := lesson_errors():
        yield Finding(f"{len(errors)} mistakes in lessons.", "Run: manage.py check_lessons")
    else:
        yield Finding(f"{len(list_lessons())} lessons, without a mistake.")


def _people() -> Iterator[Finding]:
    if not User.objects.filter(is_superuser=True, is_active=True).exists():
        yield Finding("There is no admin.", "Run: manage.py createsuperuser")
    is_demo = User.objects.filter(username__in=["student1", "teacher"]).count() == 2
    if is_demo and not settings.WORKER_IS_EMBEDDED:
        yield Finding(
            "The demo class is here, and demo-accounts.json holds its passphrases.",
            "Once you have tried the site, remove the demo accounts in Admin → Users.",
        )


def _hosts() -> Iterator[Finding]:
    known = list(Host.objects.order_by("name"))
    if not known:
        yield Finding("No worker has ever reported a lab host.", "Start a worker.")
    for host in known:
        yield _host(host)


def _host(host: Host) -> Finding:
    seen_since = timezone.now() - timedelta(seconds=SILENT_S)
    is_silent = host.seen_at is None or host.seen_at < seen_since
    if is_silent and host.is_draining:
        return Finding(f"Host {host.name}: drained, and its worker has not reported lately.")
    if is_silent:
        return Finding(
            f"Host {host.name}: its worker has not reported for {SILENT_S} seconds.",
            "Start its workers and the beat; if it is gone for good, drain it in Labs → Hosts.",
        )
    if host.engine_error:
        return Finding(f"Host {host.name}: {host.engine_error}", "Start its Docker engine.")
    if hosts.has_room(host):
        return Finding(f"Host {host.name}: engine {host.engine_version}, takes labs.")
    state = "is drained" if host.is_draining else "is full"
    return Finding(f"Host {host.name}: engine {host.engine_version}, {state}.")


NEEDS_ROWS: tuple[Callable[[], Iterator[Finding]], ...] = (_people, _hosts)
