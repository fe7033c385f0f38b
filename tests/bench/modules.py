"""Modules of these benchmarks that run in a process of their own and say what they found."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.browser.served import REPOSITORY, own_environment


def ask_module(module: str, *arguments: str, env: Mapping[str, str]) -> Any:
    """What it prints, on the rows and with the settings that `env` names."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=REPOSITORY,
        env={**env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
    )
    return json.loads(done.stdout)


def ask_module_of_its_own(module: str) -> dict[str, Any]:
    """What it prints that makes all rows and lessons itself."""
    with tempfile.TemporaryDirectory(prefix="agent-lab-bench-") as folder:
        lessons = Path(folder, "lessons")
        lessons.mkdir()
        env = own_environment() | {"VAR_DIR": folder, "LESSON_DIRS": str(lessons)}
        return dict(ask_module(module, env=env))
