"""Whom the labs are for: classes and lessons, as whoever uses the labs can tell.

Labs know neither. What stands here is only what they ask, and the answer of a site that has none;
`LAB_AUDIENCE` names the one that answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from django.conf import settings
from django.utils.module_loading import import_string


@dataclass(frozen=True)
class Scope:
    """A group of labs that limits can be set for, such as those of a class."""

    key: str
    """Unique and kept in rows, such as `class:12` or `lesson:checkpoints`."""
    name: str
    """As people call it."""


@dataclass(frozen=True)
class Rehearsed:
    """How the commands of one lesson went in one image."""

    lesson: str
    is_good: bool
    is_current: bool
    """It was this version of the lesson, not an older one."""


class Audience(Protocol):
    def scopes(self) -> Sequence[Scope]:
        """Every class and every lesson."""

    def classes_of(self, owner_ids: Iterable[int]) -> Mapping[int, Sequence[Scope]]:
        """Owner → the classes that they are students of. One query."""

    def owners_in(self, scope: str) -> Any:
        """The ids of a class's students, as a queryset; None where the scope is no class."""

    def scope_of_origin(self, origin: str) -> str:
        """The lesson's scope of a run's origin; empty where there is none."""

    def rehearsals_of(self, digests: Iterable[str]) -> Mapping[str, Sequence[Rehearsed]]:
        """Image → the newest rehearsal of each lesson in it."""

    def terminals_kept(self) -> Any:
        """The ids of terminals whose recordings belong to something that stays, as a queryset."""

    def seen_until(self, viewer: Any, owner: Any) -> datetime | None:
        """Up to when the viewer may read what the owner does; None for without an end. One query,
        and none for one's own."""


class Nobody:
    """The audience of labs that stand alone."""

    def scopes(self) -> Sequence[Scope]:
        return ()

    def classes_of(self, owner_ids: Iterable[int]) -> Mapping[int, Sequence[Scope]]:
        return {}

    def owners_in(self, scope: str) -> Any:
        return None

    def scope_of_origin(self, origin: str) -> str:
        return ""

    def rehearsals_of(self, digests: Iterable[str]) -> Mapping[str, Sequence[Rehearsed]]:
        return {}

    def terminals_kept(self) -> Any:
        return ()

    def seen_until(self, viewer: Any, owner: Any) -> datetime | None:
        return None


def get_audience() -> Audience:
    return _make_audience(settings.LAB_AUDIENCE)


@cache
def _make_audience(dotted_name: str) -> Audience:
    audience: Audience = import_string(dotted_name)()
    return audience
