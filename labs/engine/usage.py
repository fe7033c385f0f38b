"""What a lab uses, and which images there are, as plain values. Pure: no SDK.

What can't be told is None: machines differ in what they can count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labs.engine.frames import Frame

MEASURE = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True)
class Usage:
    """What one lab uses, as its own supervisor reads it."""

    memory_bytes: int | None
    """With the files that it keeps in memory, without what the kernel only caches."""
    memory_limit_bytes: int | None
    cpu_us: int | None
    """Processor time since the container began."""
    pids: int | None
    pids_limit: int | None
    disk_bytes: int | None
    """Used by the workspace."""
    disk_limit_bytes: int | None


@dataclass(frozen=True)
class ImageStatus:
    """An agent image on this machine."""

    digest: str
    tags: tuple[str, ...]
    size_bytes: int
    made_at: datetime


def read_usage(answer: Frame) -> Usage:
    return Usage(
        memory_bytes=_measure(answer, "memory_bytes"),
        memory_limit_bytes=_measure(answer, "memory_limit_bytes"),
        cpu_us=_measure(answer, "cpu_us"),
        pids=_measure(answer, "pids"),
        pids_limit=_measure(answer, "pids_limit"),
        disk_bytes=_measure(answer, "disk_bytes"),
        disk_limit_bytes=_measure(answer, "disk_limit_bytes"),
    )


def _measure(answer: Frame, name: str) -> int | None:
    """None where the lab says that it can't tell, as under gVisor, which has no such counts, and
    for what no row can hold."""
    value = answer.text(name)
    return int(value) if MEASURE.fullmatch(value) else None


def read_image(answer: Mapping[str, Any]) -> ImageStatus:
    """`answer` is one row of the engine's list of images."""
    return ImageStatus(
        digest=answer["Id"],
        tags=tuple(sorted(answer.get("RepoTags") or ())),
        size_bytes=int(answer["Size"]),
        made_at=datetime.fromtimestamp(answer["Created"], tz=UTC),
    )
