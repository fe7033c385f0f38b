"""What of a lesson earns points: its gaps and blocks, in its own order. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course.lessons.model import Block, Gap, Lesson

BLOCK_POINTS = 1
MAX_POINTS = 100


@dataclass(frozen=True)
class Step:
    """One gap or one block, with the most points it can earn in an assignment."""

    id: str
    """`gap:<id>` or `block:<id>`."""
    label: str
    points: int
    gap: Gap | None = None
    block: Block | None = None
    section: str = ""
    """Title of the section it stands in."""

    @property
    def is_open(self) -> bool:
        """A teacher marks what matches no key."""
        return self.gap is not None and self.gap.is_open

    @property
    def maximum(self) -> int:
        """In hundredths of a point."""
        return self.points * 100


def all_steps(lesson: Lesson) -> list[Step]:
    """Every gap and block with the points that the lesson itself suggests."""
    return list(_steps(lesson))


def steps_of(lesson: Lesson, points: Mapping[str, int]) -> list[Step]:
    """The steps that earn points, with those; what the lesson no longer has is left out."""
    found = (
        Step(step.id, step.label, points.get(step.id, 0), step.gap, step.block, step.section)
        for step in _steps(lesson)
    )
    return [step for step in found if step.points]


def _steps(lesson: Lesson) -> Iterator[Step]:
    for section in lesson.sections:
        for part in section.parts:
            if isinstance(part, Gap):
                yield Step(
                    f"gap:{part.id}", part.label, part.points, gap=part, section=section.title
                )
            elif isinstance(part, Block):
                yield Step(
                    f"block:{part.id}", part.title, BLOCK_POINTS, block=part, section=section.title
                )


def show_points(hundredths: int) -> str:
    """`250` → `2.5`: as few digits as say it."""
    whole, rest = divmod(hundredths, 100)
    return f"{whole}.{rest:02}".rstrip("0") if rest else str(whole)


def read_points(text: str) -> int | None:
    """`2.5` or `2,5` → 250; None where it is no number of points from 0 on."""
    whole, _, rest = text.strip().replace(",", ".").partition(".")
    if not (whole + rest).isascii() or not (whole + rest).isdigit() or len(whole) > 4:
        return None
    return int(whole or 0) * 100 + int(rest[:2].ljust(2, "0"))
