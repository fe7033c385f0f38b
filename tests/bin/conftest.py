"""A throw-away copy of the scripts, so that a test sees what they change and harms no checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent.parent
COPIED = ("bin", "sandbox_images", "requirements", "Makefile")


@dataclass(frozen=True)
class Checkout:
    path: Path

    def run(
        self, script: str, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.path / "bin" / script), *arguments],
            env={**os.environ, **(env or {})},
            cwd=self.path,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def files(self) -> dict[str, float]:
        """Every path below with its time of change."""
        return {str(path): path.lstat().st_mtime for path in self.path.rglob("*")}


def copy_scripts(folder: Path) -> Checkout:
    for name in COPIED:
        source = REPO / name
        copier: Callable[..., object] = shutil.copytree if source.is_dir() else shutil.copy2
        copier(source, folder / name)
    return Checkout(folder)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder = tmp_path / "checkout"
    folder.mkdir()
    return copy_scripts(folder)


@pytest.fixture
def repo() -> Checkout:
    """The real checkout, for scripts that only look."""
    return Checkout(REPO)
