"""Small disks to be filled to the last byte. Needs root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PIECE = bytes(4096)


class SmallDisk:
    """A file system of its own, in memory, of so many MiB."""

    def __init__(self, folder: Path, size_bytes: int) -> None:
        self.folder = folder
        self._size_bytes = size_bytes
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leaves no room for one more byte. Never fills any disk but this one, which something may
        have been mounted over."""
        stat = os.statvfs(self.folder)
        assert stat.f_blocks * stat.f_frsize == self._size_bytes
        with self._ballast.open("wb", buffering=0) as ballast, suppress(OSError):
            for _piece in range(self._size_bytes // len(PIECE)):
                ballast.write(PIECE)

    def make_room(self) -> None:
        self._ballast.unlink()


@contextmanager
def small_disk(folder: Path, *, mib: int) -> Iterator[SmallDisk]:
    """Mounted at `folder` meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0711", "tmpfs", str(folder)]
    subprocess.run(mount, check=True, timeout=120)
    try:
        yield SmallDisk(folder, mib * 2**20)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=120)
