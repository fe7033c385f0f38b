"""What the lab's control group says about memory. Read where it can be, else None."""

import os

OOM_FILES = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
PEAK_FILES = ("/sys/fs/cgroup/memory.peak", "/sys/fs/cgroup/memory/memory.max_usage_in_bytes")


class MemoryCounters:
    """Kept open: reading then costs one call, and works when no file can be opened any more."""

    def __init__(self) -> None:
        self._oom_fd = _open_first(OOM_FILES)
        self._peak_fd = _open_first(PEAK_FILES)

    def oom_kills(self) -> int | None:
        """How often a process of this lab was killed for want of memory, in the lab's life."""
        for line in _read(self._oom_fd).splitlines():
            name, _, value = line.partition(b" ")
            if name == b"oom_kill":
                return int(value)
        return None

    def peak_bytes(self) -> int | None:
        """The most memory that the whole lab has ever used."""
        text = _read(self._peak_fd).strip()
        return int(text) if text.isdigit() else None


def _open_first(paths: tuple[str, ...]) -> int:
    for path in paths:
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
    return -1


def _read(fd: int) -> bytes:
    try:
        return os.pread(fd, 4096, 0) if fd >= 0 else b""
    except OSError:
        return b""
