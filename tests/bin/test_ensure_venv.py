"""The virtual environment: made once, filled again only when the pins change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bin.conftest import Checkout


@pytest.fixture
def unpinned(checkout: Checkout) -> Checkout:
    """A checkout that needs no package, so that nothing is downloaded."""
    for name in ("base", "dev"):
        (checkout.path / "requirements" / f"{name}.txt").write_text("# nothing\n")
    return checkout


def stamp_of(checkout: Checkout) -> Path:
    return checkout.path / ".venv" / "agent-lab-requirements"


def test_a_second_call_installs_nothing(unpinned: Checkout) -> None:
    assert unpinned.run("ensure-venv", "base").returncode == 0
    written_at = stamp_of(unpinned).stat().st_mtime_ns

    assert unpinned.run("ensure-venv", "base").stdout == ""

    assert stamp_of(unpinned).stat().st_mtime_ns == written_at


def test_changed_pins_are_installed(unpinned: Checkout) -> None:
    unpinned.run("ensure-venv", "base")
    before = stamp_of(unpinned).read_text()
    (unpinned.path / "requirements" / "base.txt").write_text("# something else\n")

    unpinned.run("ensure-venv", "base")

    assert stamp_of(unpinned).read_text() != before


def test_an_environment_for_tests_serves_the_site_too(unpinned: Checkout) -> None:
    unpinned.run("ensure-venv", "dev")

    assert unpinned.run("ensure-venv", "base").stdout == ""

    assert stamp_of(unpinned).read_text().startswith("dev ")


def test_a_package_without_a_pinned_hash_is_refused(unpinned: Checkout) -> None:
    (unpinned.path / "requirements" / "base.txt").write_text("django==5.2\n")

    result = unpinned.run("ensure-venv", "base")

    assert result.returncode != 0
    assert not stamp_of(unpinned).exists()
