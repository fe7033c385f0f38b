"""Two versions of a lesson → what only got another id. Pure; maps no answer and no run itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from course.lessons.model import Block, Gap, Lesson

Named = TypeVar("Named", Gap, Block)


def renamed_gaps(before: Lesson, after: Lesson) -> Mapping[str, str]:
    """Old id → new id of each gap that is the same but for its id."""
    return _renamed(before.gaps, after.gaps)


def renamed_blocks(before: Lesson, after: Lesson) -> Mapping[str, str]:
    """Old id → new id of each block that is the same but for its id."""
    return _renamed(before.blocks, after.blocks)


def _renamed(before: Mapping[str, Named], after: Mapping[str, Named]) -> Mapping[str, str]:
    new = {_nameless(one): id_ for id_, one in after.items() if id_ not in before}
    gone = {id_: _nameless(one) for id_, one in before.items() if id_ not in after}
    return {id_: new[one] for id_, one in gone.items() if one in new}


def _nameless(one: Named) -> Named:
    return replace(one, id="", line=0)
