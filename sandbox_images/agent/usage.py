"""What the lab uses just now, as its control group counts it. None for what can't be read."""

import os

from workspace import WORKSPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "/sys/fs/cgroup/"
NO_LIMIT = 1 << 60
"""Version 1 says a number like this where there is no limit."""


def read_usage() -> dict[str, "int | None"]:
    """Control groups of version 2 first, then of version 1."""
    memory = _number("memory.current", "memory/memory.usage_in_bytes")
    cached = _line(b"inactive_file", "memory.stat") or _line(
        b"total_inactive_file", "memory/memory.stat"
    )
    return {
        "memory_bytes": memory if memory is None else max(0, memory - (cached or 0)),
        "memory_limit_bytes": _number("memory.max", "memory/memory.limit_in_bytes"),
        "cpu_us": _cpu_us(),
        "pids": _number("pids.current", "pids/pids.current"),
        "pids_limit": _number("pids.max", "pids/pids.max"),
        **_disk(),
    }


def _disk() -> dict[str, "int | None"]:
    """Whatever rights the student took from it: nothing inside the workspace is opened."""
    disk = os.statvfs(WORKSPACE)
    limit, free = disk.f_blocks * disk.f_frsize, disk.f_bfree * disk.f_frsize
    return {"disk_bytes": limit - free, "disk_limit_bytes": limit}


def _cpu_us() -> "int | None":
    """Processor time since the lab began."""
    if (used := _line(b"usage_usec", "cpu.stat")) is not None:
        return used
    used_ns = _number("cpuacct/cpuacct.usage")
    return None if used_ns is None else used_ns // 1000


def _number(*names: str) -> "int | None":
    """Of the first of these files that holds one."""
    for text in map(_read, names):
        if text.strip().isdigit():
            number = int(text)
            return number if number < NO_LIMIT else None
    return None


def _line(key: bytes, name: str) -> "int | None":
    for found, value in _pairs(name):
        if found == key:
            return int(value)
    return None


def _pairs(name: str) -> "Iterator[tuple[bytes, bytes]]":
    for line in _read(name).splitlines():
        found, _, value = line.partition(b" ")
        yield found, value


def _read(name: str) -> bytes:
    try:
        fd = os.open(GROUP + name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 8192)
    except OSError:
        return b""
    finally:
        os.close(fd)
