"""What becomes of stored answers and runs when a lesson changes. Reads only: nothing is re-mapped.

Answers and runs hang on ids. Whatever has lost its id is kept, and shown to nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from course.lessons.changes import Renamed, renamed_blocks, renamed_gaps
from course.lessons.model import Lesson
from course.library import lesson_of_version
from course.models import Answer, LessonVersion
from labs.models import Run

MAX_COMPARED = 20
"""Reading a lesson of then takes up to a tenth of a second, once."""


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


@dataclass(frozen=True)
class VersionUse:
    """A version of a lesson that rows were made with, or that readers have met."""

    version: str
    answers: int
    runs: int
    is_today: bool
    first_seen_at: datetime | None
    """None where it was not kept whole: then nothing can be compared with it."""


@dataclass(frozen=True)
class Stored:
    """How many rows of one noun there are: by id and by version of the lesson."""

    counts: Mapping[tuple[str, str], int]

    def of(self, id_: str) -> int:
        return sum(count for (each, _), count in self.counts.items() if each == id_)

    def by_version(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for (_, version), count in self.counts.items():
            total[version] += count
        return total

    def ids(self) -> list[str]:
        return sorted({id_ for id_, _ in self.counts})


def fates_of(lesson: Lesson, before: Lesson | None = None) -> list[Fate]:
    """Every gap and block that the lesson has, once had, or has rows for.

    It is compared with `before`, or else with the versions that rows were made with. Three queries,
    and one for each version of then that this process has not read yet.
    """
    answers, runs = _answers(lesson), _runs(lesson)
    befores = [before] if before else _lessons_of_then(lesson, answers, runs)
    return [
        *_fates("gap", lesson, befores, answers, lambda each: each.gaps, renamed_gaps),
        *_fates("block", lesson, befores, runs, lambda each: each.blocks, renamed_blocks),
    ]


def versions_of(lesson: Lesson) -> list[VersionUse]:
    """Today's version first, then those kept, newest first, then those of which only rows are left.
    Three queries."""
    answers, runs = _answers(lesson).by_version(), _runs(lesson).by_version()
    kept = LessonVersion.objects.filter(lesson=lesson.slug)
    seen_at = dict(kept.values_list("version", "first_seen_at"))
    return [
        VersionUse(
            version=version,
            answers=answers[version],
            runs=runs[version],
            is_today=version == lesson.version,
            first_seen_at=seen_at.get(version),
        )
        for version in dict.fromkeys([lesson.version, *seen_at, *answers, *runs])
    ]


def _lessons_of_then(lesson: Lesson, *stored: Stored) -> list[Lesson]:
    """The versions that most rows were made with, as they were; the kept ones among them."""
    used = sum((each.by_version() for each in stored), Counter[str]())
    used.pop(lesson.version, None)
    versions = [version for version, _ in used.most_common(MAX_COMPARED)]
    return [old for each in versions if (old := lesson_of_version(lesson.slug, each))]


def _fates(
    noun: str,
    lesson: Lesson,
    befores: Sequence[Lesson],
    stored: Stored,
    parts_of: Callable[[Lesson], Iterable[str]],
    renamed_in: Callable[[Lesson, Lesson], Renamed],
) -> list[Fate]:
    now = list(parts_of(lesson))
    then = [id_ for before in befores for id_ in parts_of(before)]
    renamed = {old: new for each in befores for old, new in renamed_in(each, lesson).items()}
    today = stored.counts
    return [
        Fate(
            noun=noun,
            id=id_,
            word=_word(id_, now, then if befores else now, renamed),
            count=stored.of(id_),
            older=stored.of(id_) - today.get((id_, lesson.version), 0),
            new_id="" if id_ in now else renamed.get(id_, ""),
        )
        for id_ in dict.fromkeys([*then, *now, *stored.ids()])
    ]


def _word(id_: str, now: Sequence[str], then: Sequence[str], renamed: Renamed) -> str:
    if id_ in now:
        return "kept" if id_ in then else "new"
    return "renamed" if id_ in renamed else "orphaned"


def _answers(lesson: Lesson) -> Stored:
    """Answers that say something."""
    rows = Answer.objects.of_lesson(lesson.slug).exclude(text="").order_by()
    counted = rows.values_list("gap", "lesson_version").annotate(number=Count("pk"))
    return Stored({(gap, version): number for gap, version, number in counted})


def _runs(lesson: Lesson) -> Stored:
    rows = Run.objects.all().of_origins(f"{lesson.slug}#").order_by()
    counted = rows.values_list("origin", "origin_version").annotate(number=Count("pk"))
    return Stored({(origin.partition("#")[2], version): n for origin, version, n in counted})
