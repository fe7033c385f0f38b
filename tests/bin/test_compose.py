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


def trusted(proxies: str) -> subprocess.CompletedProcess[str]:
    script = REPO / "deploy" / "proxy" / "trusted"
    return subprocess.run(
        [script], env={"TRUSTED_PROXIES": proxies}, capture_output=True, text=True, timeout=30
    )


@pytest.mark.parametrize(
    ("proxies", "lines"),
    [
        ("", []),
        ("10.0.0.5", ["set_real_ip_from 10.0.0.5;"]),
        ("10.0.0.0/8, fd00::/8", ["set_real_ip_from 10.0.0.0/8;", "set_real_ip_from fd00::/8;"]),
    ],
)
def test_the_proxy_takes_only_the_word_of_those_it_was_told_of(
    proxies: str, lines: list[str]
) -> None:
    assert trusted(proxies).stdout.splitlines() == lines


def test_what_is_no_address_of_a_proxy_is_refused_in_words() -> None:
    refused = trusted("10.0.0.5; return 200")

    assert refused.returncode == 1
    assert "10.0.0.5; is no address" in refused.stderr


@pytest.mark.parametrize("name", ["worker", "control", "terminal"])
def test_a_lab_hosts_services_share_few_connections_to_the_database(name: str) -> None:
    assert SERVICES[name]["environment"]["DATABASE_POOL"]


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
