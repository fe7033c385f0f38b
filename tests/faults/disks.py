"""Small disks to be filled to the last byte. Needs root."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PIECE = bytes(4096)


class SmallDisk:
    """A file system of its own, in memory, of so many MiB."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leaves no room for one more byte."""
        with self._ballast.open("wb", buffering=0) as ballast:
            try:
                while ballast.write(PIECE):
                    pass
            except OSError:
                return

    def make_room(self) -> None:
        self._ballast.unlink()


@contextmanager
def small_disk(folder: Path, *, mib: int) -> Iterator[SmallDisk]:
    """Mounted at `folder` meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0711", "tmpfs", str(folder)]
    subprocess.run(mount, check=True, timeout=30)
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=30)
