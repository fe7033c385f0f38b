"""What a run did, beside what its block expects: ticks, and how the output differs. Reads only."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from course.lessons.comparing import Comparison, Tick, check_run, compare_output
from course.lessons.model import Block
from labs.models import Run
from labs.rendering import RunView
from labs.saved_files import SavedFiles, files_after

SHORT_OUTPUT_BYTES = 4_000
"""Up to here the page shows an output whole."""
KEPT_OUTPUT_BYTES = 64 * 1024
KEPT_OUTCOMES = 1_000
SAVING_PATIENCE_S = 60


@dataclass(frozen=True)
class Outcome:
    """One run of a block, judged."""

    ticks: tuple[Tick, ...]
    comparison: Comparison | None
    """None where the block has no example."""
    is_waiting: bool = False
    """The run's files are just being saved: ask again in a moment."""

    @property
    def is_final(self) -> bool:
        return all(tick.holds is not None for tick in self.ticks)


# What became of a run that is over never changes: this process judges it once.
_known: dict[tuple[uuid.UUID, Block], Outcome] = {}


def outcomes_of(pairs: Sequence[tuple[Block, RunView]]) -> list[Outcome | None]:
    """What became of each run, in the same order; None for a run that can't be judged.

    No query for runs judged before. For the others one, where their blocks check files, and one
    for each workspace not yet seen by this process.
    """
    unknown = [pair for pair in pairs if _can_judge(*pair) and _key(*pair) not in _known]
    saved = files_after([view.run for block, view in unknown if _looks_at_files(block)])
    judged = {
        _key(block, view): _judge(block, view, saved.get(view.run.pk)) for block, view in unknown
    }
    outcomes = [judged.get(_key(*pair)) or _known.get(_key(*pair)) for pair in pairs]
    _keep(judged, unknown)
    return outcomes


def outcome_of(block: Block, view: RunView) -> Outcome | None:
    return outcomes_of([(block, view)])[0]


def _key(block: Block, view: RunView) -> tuple[uuid.UUID, Block]:
    return view.run.pk, block


def _keep(
    judged: dict[tuple[uuid.UUID, Block], Outcome], pairs: Sequence[tuple[Block, RunView]]
) -> None:
    if len(_known) > KEPT_OUTCOMES:
        _known.clear()
    for block, view in pairs:
        outcome = judged[_key(block, view)]
        if outcome.is_final and view.run.bytes_total <= KEPT_OUTPUT_BYTES:
            _known[_key(block, view)] = outcome


def _can_judge(block: Block, view: RunView) -> bool:
    """Not while it runs, nor once nobody knows its end or the author has changed the command."""
    run = view.run
    return run.is_over and run.state != Run.State.LOST and run.command == block.command


def _judge(block: Block, view: RunView, saved: SavedFiles | None) -> Outcome:
    shown = view.screen.plain_text()
    reader = saved.read if saved and saved.can_be_read else None
    return Outcome(
        ticks=check_run(block, view.run.exit_code, shown + _folded_away(view.run), reader),
        comparison=compare_output(block.example, shown) if block.example else None,
        is_waiting=bool(saved and saved.is_pending and _is_fresh(view.run)),
    )


def _folded_away(run: Run) -> str:
    """What the page may not show of a long output, as it was written; empty for a short one."""
    if run.bytes_total <= SHORT_OUTPUT_BYTES:
        return ""
    return "\n" + b"".join(bytes(chunk.data) for chunk in run.chunks.all()).decode(errors="replace")


def _looks_at_files(block: Block) -> bool:
    return any(check.path for check in block.checks)


def _is_fresh(run: Run) -> bool:
    """What was not saved for so long will not be saved by waiting."""
    patience = timedelta(seconds=SAVING_PATIENCE_S)
    return run.ended_at is not None and timezone.now() - run.ended_at < patience
