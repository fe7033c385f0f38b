"""The only writer of what blocks came to: each newest run is judged once, for all who look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import CharField
from django.db.models.functions import Cast

from course.lessons.model import Block, Lesson
from course.models import BlockOutcome
from course.outcomes import Outcome, outcomes_of
from labs.models import Run
from labs.rendering import view_of_run

JUDGED_AT_ONCE = 150
"""So many in one go: a page that finds thousands of old runs is not to wait for them all."""
State = BlockOutcome.State


class Newest(NamedTuple):
    """The newest run of one block of one student, which is over."""

    run: str
    """Its id as the database itself writes it."""
    student: int
    block: str


def outcome_state(block: Block, outcome: Outcome | None) -> str:
    """What the block's own checks say; where it has none, its example has the word."""
    if outcome is None:
        return State.RAN
    holds = [tick.holds for tick in outcome.ticks]
    if False in holds:
        return State.DIFFERS
    if None in holds:
        return State.RAN
    is_as_shown = outcome.comparison is None or outcome.comparison.is_same
    return State.PASSED if block.checks or is_as_shown else State.DIFFERS


def judge(lesson: Lesson, fresh: Sequence[Newest]) -> Mapping[str, str]:
    """Run → how it came out, for as many as are judged in one go. Kept unless its files are still
    being saved."""
    fresh = fresh[:JUDGED_AT_ONCE]
    rows = Run.objects.filter(pk__in=[each.run for each in fresh]).prefetch_related("chunks")
    runs: dict[str, Run] = {}
    for run in rows.annotate(as_read=Cast("pk", CharField())):
        runs[run.as_read] = run  # type: ignore[attr-defined] # annotated
    found = [each for each in fresh if each.run in runs and each.block in lesson.blocks]
    pairs = [(lesson.blocks[each.block], view_of_run(runs[each.run])) for each in found]
    outcomes = outcomes_of(pairs)
    states = {
        each.run: outcome_state(block, outcome)
        for each, (block, _), outcome in zip(found, pairs, outcomes, strict=True)
    }
    settled = [
        each
        for each, outcome in zip(found, outcomes, strict=True)
        if not (outcome and outcome.is_waiting)
    ]
    _keep(lesson, [(each, states[each.run]) for each in settled])
    return states


def _keep(lesson: Lesson, judged: Sequence[tuple[Newest, str]]) -> None:
    BlockOutcome.objects.bulk_create(
        (
            BlockOutcome(
                student_id=each.student,
                lesson=lesson.slug,
                lesson_version=lesson.version,
                block=each.block,
                run_id=each.run,
                state=state,
            )
            for each, state in judged
        ),
        update_conflicts=True,
        unique_fields=["student", "lesson_version", "block"],
        update_fields=["run", "state"],
    )
