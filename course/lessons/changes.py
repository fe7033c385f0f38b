"""Two versions of a lesson → what only got another id. Pure; maps no answer and no run itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from course.lessons.model import Block, Gap, Lesson

Named = TypeVar("Named", Gap, Block)
Renamed = Mapping[str, str]
"""Old id → new id."""


def renamed_gaps(before: Lesson, after: Lesson) -> Renamed:
    """Each gap that is the same but for its id."""
    return _renamed(before.gaps, after.gaps)


def renamed_blocks(before: Lesson, after: Lesson) -> Renamed:
    """Each block that is the same but for its id."""
    return _renamed(before.blocks, after.blocks)


def _renamed(before: Mapping[str, Named], after: Mapping[str, Named]) -> Renamed:
    """Where two are alike nobody can tell which became which: then neither counts as renamed."""
    new = _by_content({id_: one for id_, one in after.items() if id_ not in before})
    gone = _by_content({id_: one for id_, one in before.items() if id_ not in after})
    return {id_: new[content] for content, id_ in gone.items() if content in new}


def _by_content(parts: Mapping[str, Named]) -> Mapping[Named, str]:
    """What is there once only: the part without its id → its id."""
    contents = {id_: replace(one, id="", line=0) for id_, one in parts.items()}
    often = Counter(contents.values())
    return {content: id_ for id_, content in contents.items() if often[content] == 1}
