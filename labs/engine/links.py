"""The kept lines of one process to the supervisors of its labs, and what is known while they hold.

A container that is started anew loses its files, and cuts its line: what was read about its start
over an uncut line still holds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from labs.engine.supervisor_link import Link
from labs.engine.wire import Stream, Wire


@dataclass
class _Kept:
    link: Link
    wire: Wire | None = None
    started_at: str = ""
    """As read while `wire` was uncut; nothing is known once it isn't."""


class Links:
    """At most one link for each container. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}

    def of(self, container_id: str, open_stream: Callable[[], Stream]) -> Link:
        """The container's link, not opened yet where it is new."""
        with self._lock:
            if container_id not in self._kept:
                self._kept[container_id] = _Kept(Link(open_stream))
            return self._kept[container_id].link

    def drop(self, container_id: str) -> None:
        with self._lock:
            kept = self._kept.pop(container_id, None)
        if kept:
            kept.link.close()

    def forget_broken(self, existing: set[str]) -> None:
        """Drops the broken links of containers that others have removed."""
        with self._lock:
            for container_id in self._kept.keys() - existing:
                if self._kept[container_id].link.is_broken:
                    del self._kept[container_id]

    def started_at(self, container_id: str, read: Callable[[], str]) -> str:
        """When the container started, as `read` said since its line was last opened."""
        with self._lock:
            kept = self._kept.get(container_id)
        wire = kept.link.uncut_wire() if kept else None
        if kept is None or wire is None:
            return read()
        if kept.wire is not wire:
            kept.started_at, kept.wire = read(), wire
        return kept.started_at
