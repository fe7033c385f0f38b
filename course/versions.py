"""What becomes of stored answers and runs when a lesson changes. Reads only: nothing is re-mapped.

Answers and runs hang on ids. Whatever has lost its id is kept, and shown to nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from course.lessons.changes import renamed_blocks, renamed_gaps
from course.lessons.model import Lesson
from course.models import Answer
from labs.models import Run


@dataclass(frozen=True)
class Fate:
    """One gap or block, and what is stored for it."""

    noun: str
    """`gap` or `block`."""
    id: str
    word: str
    """`kept`, `new`, `renamed` or `orphaned`."""
    count: int
    """Answers or runs."""
    older: int
    """Of these, made with another version of the lesson."""
    new_id: str = ""
    """Only of a renamed one."""


def fates_of(lesson: Lesson, before: Lesson | None = None) -> list[Fate]:
    """Every gap and block that the lesson has, had in `before`, or has rows for. Two queries.

    Without `before` a renamed one can't be told from an orphaned one.
    """
    gaps = renamed_gaps(before, lesson) if before else {}
    blocks = renamed_blocks(before, lesson) if before else {}
    old_gaps = before.gaps if before else lesson.gaps
    old_blocks = before.blocks if before else lesson.blocks
    return [
        *_fates("gap", lesson.gaps, old_gaps, gaps, _answers(lesson)),
        *_fates("block", lesson.blocks, old_blocks, blocks, _runs(lesson)),
    ]


def _fates(
    noun: str,
    now: Iterable[str],
    before: Iterable[str],
    renamed: Mapping[str, str],
    rows: Mapping[bool, Counter[str]],
) -> list[Fate]:
    now, before = list(now), list(before)
    every = dict.fromkeys([*before, *now, *sorted(rows[True] | rows[False])])
    return [
        Fate(
            noun=noun,
            id=id_,
            word=_word(id_, now, before, renamed),
            count=rows[True][id_] + rows[False][id_],
            older=rows[True][id_],
            new_id=renamed.get(id_, ""),
        )
        for id_ in every
    ]


def _word(id_: str, now: list[str], before: list[str], renamed: Mapping[str, str]) -> str:
    if id_ in now:
        return "kept" if id_ in before else "new"
    return "renamed" if id_ in renamed else "orphaned"


def _answers(lesson: Lesson) -> Mapping[bool, Counter[str]]:
    """Whether it is older → gap id → answers that say something."""
    rows = Answer.objects.of_lesson(lesson.slug).exclude(text="")
    return _counted(lesson, rows.values_list("gap", "lesson_version"))


def _runs(lesson: Lesson) -> Mapping[bool, Counter[str]]:
    rows = Run.objects.all().of_origins(f"{lesson.slug}#").values_list("origin", "origin_version")
    return _counted(lesson, ((origin.partition("#")[2], version) for origin, version in rows))


def _counted(lesson: Lesson, rows: Iterable[tuple[str, str]]) -> Mapping[bool, Counter[str]]:
    counted: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for id_, version in rows:
        counted[version != lesson.version][id_] += 1
    return counted
