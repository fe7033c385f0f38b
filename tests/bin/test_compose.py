"""The composition: who holds the engine's socket, what has no default, what listens where."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bin.conftest import REPO

TEXT = (REPO / "docker-compose.yml").read_text()
WHOLE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = WHOLE["services"]
WITH_TLS: dict[str, Any] = yaml.safe_load((REPO / "deploy" / "tls.yml").read_text())
SITE = ("web", "streams", "worker", "control", "terminal", "beat", "migrate")
ASKED = ("proxy", "web", "streams", "worker", "control", "terminal", "db", "redis")


def mounts_of(name: str) -> str:
    return " ".join(SERVICES[name].get("volumes", []))


def make_secrets(folder: Path) -> dict[str, str]:
    """What the script leaves in the folder: name → content."""
    script = str(REPO / "bin" / "make-secrets")
    subprocess.run([script, "--into", str(folder)], check=True, capture_output=True, timeout=30)
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_only_workers_and_terminals_hold_the_engines_socket() -> None:
    assert [name for name in SERVICES if "docker.sock" in mounts_of(name)] == [
        "worker",
        "control",
        "terminal",
    ]


def test_every_secret_comes_from_a_file_and_none_from_the_environment() -> None:
    assert {secret["file"].split("/")[-1] for secret in WHOLE["secrets"].values()} == set(
        WHOLE["secrets"]
    )
    assert not re.findall(r"\$\{\w*(?:PASSWORD|SECRET_KEY|TOKEN)\w*", TEXT)


def test_secrets_are_made_once_and_long_and_no_two_alike(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = make_secrets(folder)
    assert set(made) == set(WHOLE["secrets"])
    assert {len(secret) for secret in made.values()} == {48}
    assert len(set(made.values())) == len(made)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert make_secrets(folder) == made


def test_only_the_proxy_listens_and_without_tls_not_beyond_this_machine() -> None:
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "proxy": ["127.0.0.1:${PORT:-8000}:8080"]
    }
    assert {name for name, service in WITH_TLS["services"].items() if "ports" in service} == {
        "proxy"
    }


def test_only_the_proxy_reaches_the_network_outside() -> None:
    assert WHOLE["networks"]["inside"] == {"internal": True}
    assert [name for name in SERVICES if "outside" in SERVICES[name]["networks"]] == ["proxy"]


def test_with_tls_every_part_of_the_site_knows_the_sites_name() -> None:
    named = {name for name, service in WITH_TLS["services"].items() if "environment" in service}

    assert named == set(SITE) - {"migrate"}


@pytest.mark.parametrize("name", ASKED)
def test_what_others_wait_for_says_whether_it_is_well(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


@pytest.mark.parametrize("name", SERVICES)
def test_everything_runs_read_only_without_capabilities_and_within_limits(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert service["logging"]["options"]["max-size"]


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_what_ends_is_started_again(name: str) -> None:
    assert SERVICES[name]["restart"] == "unless-stopped"


def test_every_queue_that_is_rung_has_a_worker() -> None:
    listened = [
        re.findall(r"-Q (\S+)", SERVICES[name]["command"]) for name in ("worker", "control")
    ]

    assert listened == [
        ["labs,lab.${LAB_HOST:-local}"],
        ["labs.control,lab.${LAB_HOST:-local}.control"],
    ]
