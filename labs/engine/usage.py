"""What labs use and which images there are, read from the engine's answers. Pure: no SDK.

An answer that lacks a number gives None: engines differ in what their machine can count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

CACHES = ("inactive_file", "total_inactive_file")
"""What the kernel would give back at once, as cgroup 2 and cgroup 1 call it."""


@dataclass(frozen=True)
class Usage:
    """What one container used up to one moment."""

    memory_bytes: int | None
    """With the files that it keeps in memory, without what the kernel only caches."""
    memory_limit_bytes: int | None
    cpu_ns: int | None
    """Processor time since the container began."""
    pids: int | None
    pids_limit: int | None


@dataclass(frozen=True)
class Disk:
    """How full a lab's workspace is."""

    used_bytes: int
    limit_bytes: int


@dataclass(frozen=True)
class ImageStatus:
    """An agent image on this machine."""

    digest: str
    tags: tuple[str, ...]
    size_bytes: int
    made_at: datetime


def read_usage(answer: Mapping[str, Any]) -> Usage:
    """`answer` is the engine's reading of one container's statistics."""
    memory, pids = answer.get("memory_stats") or {}, answer.get("pids_stats") or {}
    return Usage(
        memory_bytes=_without_cache(memory),
        memory_limit_bytes=memory.get("limit"),
        cpu_ns=((answer.get("cpu_stats") or {}).get("cpu_usage") or {}).get("total_usage"),
        pids=pids.get("current"),
        pids_limit=pids.get("limit"),
    )


def _without_cache(memory: Mapping[str, Any]) -> int | None:
    used = memory.get("usage")
    if used is None:
        return None
    details = memory.get("stats") or {}
    cached = next((details[name] for name in CACHES if name in details), 0)
    return max(0, int(used) - int(cached))


def read_image(answer: Mapping[str, Any]) -> ImageStatus:
    """`answer` is one row of the engine's list of images."""
    return ImageStatus(
        digest=answer["Id"],
        tags=tuple(sorted(answer.get("RepoTags") or ())),
        size_bytes=int(answer["Size"]),
        made_at=datetime.fromtimestamp(answer["Created"], tz=UTC),
    )
