"""What one reader sees of one lesson: its parts with their answers and runs. Reads only."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from course.answers import answers_of
from course.lessons.model import Block, Gap, Html, Lesson, Section
from course.library import why_not_runnable
from course.models import User
from course.outcomes import Outcome, outcome_of, outcomes_of
from labs.models import Lab, Run
from labs.rendering import RunView, view_of_run


@dataclass(frozen=True)
class GapView:
    gap: Gap
    text: str = ""
    kind: str = "gap"

    @property
    def name(self) -> str:
        return field_of_gap(self.gap.id)

    @property
    def shown_name(self) -> str:
        return field_of_shown(self.gap.id)


@dataclass(frozen=True)
class BlockView:
    block: Block
    run: RunView | None = None
    outcome: Outcome | None = None
    refusal: str = ""
    key: uuid.UUID = field(default_factory=uuid.uuid4)
    """For the next press of Run on this very page."""
    kind: str = "block"

    @property
    def why_not_here(self) -> str:
        """The sentence to show where this command can't run in a lab; mostly empty."""
        return _why_not_here(self.block.command)


@lru_cache(maxsize=1024)
def _why_not_here(line: str) -> str:
    return why_not_runnable(line)


@dataclass(frozen=True)
class SectionView:
    section: Section
    parts: list[Html | GapView | BlockView]


@dataclass(frozen=True)
class LessonPage:
    lesson: Lesson
    sections: list[SectionView]

    @property
    def blocks(self) -> list[BlockView]:
        return [p for s in self.sections for p in s.parts if isinstance(p, BlockView)]


@dataclass(frozen=True)
class Progress:
    """How much of a lesson one reader has done, and their lab if they have one."""

    gaps: int
    gaps_filled: int
    blocks: int
    blocks_run: int
    lab: Lab | None


def field_of_gap(gap_id: str) -> str:
    """The gap's name in a form."""
    return f"gap.{gap_id}"


def field_of_shown(gap_id: str) -> str:
    """The form's name for what the page showed in the gap before anybody typed."""
    return f"shown.{gap_id}"


def origin_of(lesson: Lesson, block: Block) -> str:
    """The lab's word for where a run's command stands."""
    return f"{lesson.slug}#{block.id}"


def lesson_page(lesson: Lesson, reader: User | None) -> LessonPage:
    """The page of `reader`, or the preview without one. Four queries at most, see `outcomes_of`.

    `lesson` is in the reader's track, here as in `progress_of`: what they don't see is not counted.
    """
    answers = answers_of(reader, lesson) if reader else {}
    blocks = newest_blocks(reader, lesson) if reader else {}
    return LessonPage(
        lesson=lesson,
        sections=[
            SectionView(section, [_view(p, answers, blocks) for p in section.parts])
            for section in lesson.sections
        ],
    )


def progress_of(lesson: Lesson, reader: User) -> Progress:
    """Three queries."""
    filled = {gap for gap, text in answers_of(reader, lesson).items() if text.strip()}
    run = set(Run.objects.filter(owner=reader).of_origins(f"{lesson.slug}#").origins())
    return Progress(
        gaps=len(lesson.gaps),
        gaps_filled=len(filled & lesson.gaps.keys()),
        blocks=len(lesson.blocks),
        blocks_run=sum(origin_of(lesson, block) in run for block in lesson.blocks.values()),
        lab=Lab.objects.filter(owner=reader).first(),
    )


def block_view(lesson: Lesson, block: Block, reader: User, *, refusal: str = "") -> BlockView:
    """One block with its newest run."""
    newest = (
        Run.objects.filter(owner=reader, origin=origin_of(lesson, block)).newest_first().first()
    )
    return (
        replace(judged(block, newest), refusal=refusal)
        if newest
        else BlockView(block, refusal=refusal)
    )


def judged(block: Block, run: Run) -> BlockView:
    """The block with this run of it. No query while the run is not over."""
    view = view_of_run(run)
    return BlockView(block, view, outcome_of(block, view))


def newest_blocks(reader: User, lesson: Lesson) -> Mapping[str, BlockView]:
    """Block id → the block with its newest run, whichever version of the lesson made it."""
    newest = Run.objects.newest_of_each_origin(reader, f"{lesson.slug}#")
    # A run is judged only by the command that it really ran.
    newest = newest.defer(None).defer("argv", "env", "workdir")
    runs = {run.origin.partition("#")[2]: view_of_run(run) for run in newest}
    pairs = [(block, runs[block.id]) for block in lesson.blocks.values() if block.id in runs]
    outcomes = zip(pairs, outcomes_of(pairs), strict=True)
    return {block.id: BlockView(block, run, outcome) for (block, run), outcome in outcomes}


def _view(
    part: Html | Gap | Block, answers: Mapping[str, str], blocks: Mapping[str, BlockView]
) -> Html | GapView | BlockView:
    if isinstance(part, Gap):
        return GapView(part, answers.get(part.id, ""))
    if isinstance(part, Block):
        return blocks.get(part.id) or BlockView(part)
    return part
