"""The virtual environment: made once, filled again only when the pins change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bin.conftest import Checkout, copy_scripts


@pytest.fixture(scope="module")
def unpinned(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout with an environment for the site, which needs no package so far."""
    checkout = copy_scripts(tmp_path_factory.mktemp("venv"))
    pin(checkout, "base", "# nothing\n")
    pin(checkout, "dev", "# nothing\n")
    assert checkout.run("ensure-venv", "base").returncode == 0
    return checkout


def pin(checkout: Checkout, name: str, text: str) -> None:
    (checkout.path / "requirements" / f"{name}.txt").write_text(text)


def stamp_of(checkout: Checkout) -> Path:
    return checkout.path / ".venv" / "agent-lab-requirements"


def test_a_second_call_installs_nothing(unpinned: Checkout) -> None:
    unpinned.run("ensure-venv", "base")
    written_at = stamp_of(unpinned).stat().st_mtime_ns

    assert unpinned.run("ensure-venv", "base").stdout == ""

    assert stamp_of(unpinned).stat().st_mtime_ns == written_at


def test_changed_pins_are_installed(unpinned: Checkout) -> None:
    before = stamp_of(unpinned).read_text()
    pin(unpinned, "base", "# something else\n")

    unpinned.run("ensure-venv", "base")

    assert stamp_of(unpinned).read_text() != before


def test_an_environment_for_tests_serves_the_site_too(unpinned: Checkout) -> None:
    unpinned.run("ensure-venv", "dev")

    assert unpinned.run("ensure-venv", "base").stdout == ""

    assert stamp_of(unpinned).read_text().startswith("dev ")


def test_a_broken_environment_is_made_anew(unpinned: Checkout) -> None:
    (unpinned.path / ".venv" / "bin" / "python").unlink()

    assert unpinned.run("ensure-venv", "base").returncode == 0

    assert (unpinned.path / ".venv" / "bin" / "python").exists()
