"""Engines that fail in one way each, for as long as a file says so."""

from __future__ import annotations

import os
from pathlib import Path

from labs.engine.base import DiskFull, LabSpec, LabStatus
from labs.engine.docker_engine import DockerEngine


class FullDisk(DockerEngine):
    """Refuses to make a container, as an engine does whose disk is full."""

    def create_lab(self, spec: LabSpec) -> LabStatus:
        if Path(os.environ["DISK_IS_FULL"]).exists():
            raise DiskFull("The engine refused: no space left on device")
        return super().create_lab(spec)
