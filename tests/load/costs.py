"""What a site and its PostgreSQL use, read from /proc: so it holds beside other work, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PARENT, OWN_CPU, WITH_ENDED_CHILDREN = 1, slice(11, 13), slice(11, 15)
"""Places in /proc/PID/stat behind the program's name (proc(5))."""


def memory_mib(var_dir: str) -> int:
    """Resident, of every process of the site."""
    pages = [int(_read(pid, "statm").split()[1]) for pid in _of_site(var_dir)]
    return sum(pages) * PAGE_BYTES // 1024**2


def site_cpu_s(var_dir: str) -> float:
    """Of every process of the site that lives."""
    return sum(_cpu_s(pid, OWN_CPU) for pid in _of_site(var_dir))


def postgres_cpu_s(backend: int) -> float:
    """Of the whole server that a backend belongs to, with connections that are over."""
    server = _stat(backend)[PARENT]
    living = [pid for pid in _pids() if _stat(pid)[PARENT] == server]
    ended_s = _cpu_s(server, WITH_ENDED_CHILDREN)
    return ended_s + sum(_cpu_s(pid, OWN_CPU) for pid in living)


def _of_site(var_dir: str) -> list[str]:
    """Those with the site's folder in their environment."""
    mine = f"VAR_DIR={var_dir}"
    return [pid for pid in _pids() if mine in _read(pid, "environ").split("\0")]


def _pids() -> Iterator[str]:
    return filter(str.isdigit, os.listdir("/proc"))


def _cpu_s(pid: int | str, times: slice) -> float:
    return sum(map(int, _stat(pid)[times])) / TICKS


def _stat(pid: int | str) -> list[str]:
    return _read(pid, "stat").rpartition(")")[2].split() or ["0"] * 50


def _read(pid: int | str, name: str) -> str:
    """Zeros of a process that has ended meanwhile."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    return "0 0" if name == "statm" else ""
