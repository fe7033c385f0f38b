"""A private PostgreSQL and Redis around a command, gone after it."""

from __future__ import annotations

import os
import signal
import subprocess

import psycopg
import pytest
import redis

from tests.bin.conftest import REPO, Checkout

SHOW = 'printf "%s\\n" "$DATABASE_URL" "$CELERY_BROKER_URL" "$CHANNEL_REDIS_URL"'


def is_refused(database_url: str, redis_url: str) -> bool:
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(database_url, connect_timeout=2)
    with pytest.raises(redis.ConnectionError):
        redis.from_url(redis_url).ping()
    return True


def test_the_command_can_use_both_and_neither_is_left(repo: Checkout) -> None:
    database, broker, channels = repo.run("with-services", "sh", "-c", SHOW).stdout.split()

    assert database.startswith("postgres://")
    assert broker != channels
    assert is_refused(database, broker)


def test_the_commands_exit_code_is_kept(repo: Checkout) -> None:
    assert repo.run("with-services", "sh", "-c", "exit 7").returncode == 7


def test_both_are_taken_down_when_it_is_ended_from_outside() -> None:
    command = [str(REPO / "bin" / "with-services"), "sh", "-c", f"{SHOW}; exec sleep 600"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        database, broker, _ = (process.stdout.readline().strip() for _ in range(3))

        os.killpg(process.pid, signal.SIGTERM)

        assert process.wait(timeout=120) == 143
    assert is_refused(database, broker)
