"""The composition: who holds the engine's socket, what has no default, what listens where."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.bin.conftest import REPO

TEXT = (REPO / "docker-compose.yml").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
SECRETS = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")


def mounts_of(name: str) -> str:
    return " ".join(SERVICES[name].get("volumes", []))


def test_only_workers_and_terminals_hold_the_engines_socket() -> None:
    assert [name for name in SERVICES if "docker.sock" in mounts_of(name)] == [
        "worker",
        "terminal",
        "control",
    ]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_has_no_default(secret: str) -> None:
    uses = re.findall(rf"\$\{{{secret}([^}}]*)\}}", TEXT)

    assert uses
    assert {use[:2] for use in uses} == {":?"}


def test_nothing_listens_beyond_this_machine() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]

    assert published == ["127.0.0.1:${PORT:-8000}:8000", "127.0.0.1:${TERMINAL_PORT:-8001}:8001"]


@pytest.mark.parametrize("name", ["web", "worker", "terminal", "control", "db", "redis"])
def test_what_others_wait_for_says_whether_it_is_well(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


@pytest.mark.parametrize("name", ["web", "worker", "control", "beat", "migrate"])
def test_the_site_runs_read_only_and_without_capabilities(name: str) -> None:
    assert SERVICES[name]["read_only"] is True
    assert SERVICES[name]["cap_drop"] == ["ALL"]
    assert SERVICES[name]["security_opt"] == ["no-new-privileges:true"]


def test_every_queue_that_is_rung_has_a_worker() -> None:
    listened = [
        re.findall(r"-Q (\S+)", SERVICES[name]["command"]) for name in ("worker", "control")
    ]

    assert listened == [
        ["labs,lab.${LAB_HOST:-local}"],
        ["labs.control,lab.${LAB_HOST:-local}.control"],
    ]
