"""The only writer of what blocks came to: each newest run is judged once, for all who look."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from course.lessons.model import Block, Lesson
from course.models import BlockOutcome
from course.outcomes import Outcome, outcomes_of
from course.plain_columns import as_text, plain_rows
from labs.models import Run
from labs.rendering import view_of_run

JUDGED_AT_ONCE = 150
"""So many in one go: a page that finds thousands of old runs is not to wait for them all."""
State = BlockOutcome.State


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest run of one block of one student, as far as an overview needs it."""

    run: str
    """Its id as `course.plain_columns` reads it."""
    student: int
    block: str
    is_over: bool


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


def states_of(
    lesson: Lesson, newest: Sequence[Newest], students: Collection[int]
) -> dict[tuple[int, str], str]:
    """Student and block → how the newest run came out, for runs that are over.

    One query where all were judged before. What is left over for the next time counts as run.
    """
    known = _known(lesson, students)
    over = [each for each in newest if each.is_over]
    fresh = [each for each in over if known.get((each.student, each.block), ("",))[0] != each.run]
    judged = _judge(lesson, fresh[:JUDGED_AT_ONCE]) if fresh else {}
    return {
        key: judged.get(each.run) or (known[key][1] if key in known else State.RAN)
        for each in over
        if (key := (each.student, each.block))
    }


def _known(lesson: Lesson, students: Collection[int]) -> dict[tuple[int, str], tuple[str, str]]:
    rows = BlockOutcome.objects.filter(lesson_version=lesson.version, student__in=students)
    found = plain_rows(rows, "student_id", "block", as_text("run"), "state")
    return {(student, block): (run, state) for student, block, run, state in found}


def _judge(lesson: Lesson, fresh: Sequence[Newest]) -> Mapping[str, str]:
    """Run → state. Kept unless its files are still being saved."""
    rows = Run.objects.filter(pk__in=[each.run for each in fresh]).prefetch_related("chunks")
    runs: dict[str, Run] = {}
    for run in rows.annotate(as_read=as_text("pk")):
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
