"""What one reader has done in one lesson: answers, runs and what became of them. Reads only."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from django.utils.translation import get_language

from course.answers import answers_of
from course.lessons.model import Block, Lesson
from course.models import User
from course.outcomes import Outcome, outcome_of, outcomes_of
from labs.command import NotRunnable, parse_command
from labs.models import Lab, Run
from labs.newest_runs import newest_of_origins
from labs.prepared import Select
from labs.rendering import RunView, view_of_run
from labs.stored_words import why_not_run

_lab_of_owner = Select(lambda: Lab.objects.all(), "owner_id = %s")


@dataclass(frozen=True)
class BlockView:
    block: Block
    run: RunView | None = None
    outcome: Outcome | None = None
    refusal: str = ""
    kind: str = "block"

    @property
    def why_not_here(self) -> str:
        """The sentence to show where this command can't run in a lab; mostly empty."""
        return _why_not_here(self.block.command, get_language() or "")


@lru_cache(maxsize=1024)
def _why_not_here(line: str, _language: str) -> str:
    """In the language of this moment, which is part of the key alone."""
    try:
        parse_command(line)
    except NotRunnable as no:
        return why_not_run(no)
    return ""


@dataclass(frozen=True)
class Work:
    """What one reader has done in a lesson."""

    answers: Mapping[str, str]
    """Gap id → text."""
    newest: Mapping[str, uuid.UUID]
    """Block id → id of its newest run, whichever version of the lesson made it."""


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


def work_of(reader: User, lesson: Lesson) -> Work:
    """Two queries, however much was written and run."""
    blocks = {origin_of(lesson, block): id_ for id_, block in lesson.blocks.items()}
    newest = newest_of_origins(reader, list(blocks))
    return Work(answers_of(reader, lesson), {blocks[origin]: pk for origin, pk in newest.items()})


def progress_from(lesson: Lesson, work: Work, reader: User) -> Progress:
    """One query. `lesson` is in the reader's track: what they don't see is not counted."""
    filled = {gap for gap, text in work.answers.items() if text.strip()}
    return Progress(
        gaps=len(lesson.gaps),
        gaps_filled=len(filled & lesson.gaps.keys()),
        blocks=len(lesson.blocks),
        blocks_run=len(work.newest),
        lab=_lab_of_owner.first(reader.pk),
    )


def progress_of(lesson: Lesson, reader: User) -> Progress:
    """Three queries."""
    return progress_from(lesson, work_of(reader, lesson), reader)


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


def judged_blocks(lesson: Lesson, run_ids: Collection[uuid.UUID]) -> Mapping[str, BlockView]:
    """Block id → the block with that run of it. Two queries, and what `outcomes_of` asks; for no
    runs none."""
    if not run_ids:
        return {}
    # A run is judged only by the command that it really ran.
    runs = Run.objects.filter(pk__in=run_ids).defer("argv", "env", "workdir")
    views = {
        run.origin.partition("#")[2]: view_of_run(run) for run in runs.prefetch_related("chunks")
    }
    pairs = [(lesson.blocks[id_], view) for id_, view in views.items()]
    outcomes = zip(pairs, outcomes_of(pairs), strict=True)
    return {block.id: BlockView(block, run, outcome) for (block, run), outcome in outcomes}
