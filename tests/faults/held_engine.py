"""An engine whose starts are written down, and held while a file says so: one small failure."""

from __future__ import annotations

import os
import time
from pathlib import Path

from django.conf import settings

from labs.engine.base import LabSpec, LabStatus
from labs.engine.docker_engine import DockerEngine

DOTTED_NAME = f"{__name__}.HeldEngine"


class Starts:
    """What several processes tell each other of the starts of one site's labs."""

    def __init__(self, installation: str) -> None:
        self._written = Path(settings.VAR_DIR) / f"{installation}.starts"
        self._held = Path(settings.VAR_DIR) / f"{installation}.held"

    def hold(self) -> None:
        self._held.touch()

    def let_go(self) -> None:
        self._held.unlink()

    def wait(self) -> None:
        while self._held.exists():
            time.sleep(0.02)

    def write(self, sign: str, lab_id: str) -> None:
        with self._written.open("a") as file:
            os.write(file.fileno(), f"{sign}{lab_id}\n".encode())

    def begun(self) -> list[int]:
        """The labs in the order in which the engine was asked for them."""
        return [int(line[1:]) for line in self._lines() if line.startswith("+")]

    def most_at_once(self) -> int:
        under_way, most = 0, 0
        for line in self._lines():
            under_way += 1 if line.startswith("+") else -1
            most = max(most, under_way)
        return most

    def _lines(self) -> list[str]:
        return self._written.read_text().split() if self._written.exists() else []


class HeldEngine(DockerEngine):
    """Each start is written down when the engine is asked for it and when it has answered."""

    def create_lab(self, spec: LabSpec) -> LabStatus:
        starts = Starts(settings.LAB_INSTALLATION)
        starts.write("+", spec.lab_id)
        try:
            starts.wait()
            return super().create_lab(spec)
        finally:
            starts.write("-", spec.lab_id)
