"""What one student's answers and runs come to, step by step. Pure, and remembered: a board is
asked for every few seconds, and mostly nothing has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from course.lessons.marking import Verdict, mark_gap
from course.lessons.model import Gap
from course.steps import Step
from labs.models import Run

UNTOUCHED, RUNNING, RAN, DIFFERS, PASSED = "untouched", "running", "ran", "differs", "passed"
STUCK_AFTER_S = 8 * 60
GONE_AFTER_S = 45 * 60
"""Whoever did nothing for a whole lesson is not stuck but gone."""
KEPT_VERDICTS = 1_000
KEPT_STANDINGS = 4_000
"""Some two kilobytes each."""


Touch = tuple[str, int, str]
"""When a step was written or run last, its place in the lesson's order, and how it stands since.

Times are ISO texts of one zone, as a database writes them: they sort like the times themselves,
and few of thousands need to be read.
"""


class Try(NamedTuple):
    """What somebody is at: it was touched last, and differs."""

    place: int
    at: datetime
    since: datetime
    """When something last came right, or else of the first deed that is known."""


class Unjudged(NamedTuple):
    """The newest run of a block, which is over and whose outcome nobody knows yet."""

    run: str
    block: str


@dataclass(frozen=True, slots=True)
class Standing:
    states: Sequence[str]
    """Of every step, in the lesson's order."""
    trying: Try | None = None
    unjudged: Sequence[Unjudged] = ()


class Ruler:
    """Tells the standing of students by one version of a lesson."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self._untouched = (UNTOUCHED,) * len(steps)
        self._gaps = {
            step.gap.id: (place, _Verdicts(step.gap))
            for place, step in enumerate(steps)
            if step.gap
        }
        self.places = {step.block.id: at for at, step in enumerate(steps) if step.block}
        """Block → place of its step."""

    def standing(self, answers: str, runs: str) -> Standing:
        """Both are JSON as `course.board_rows` reads it."""
        ran = json.loads(runs)
        touches = [*self._written(json.loads(answers)), *self._ran(ran)]
        states = list(self._untouched)
        for _, place, state in touches:
            states[place] = state
        return Standing(tuple(states), trying(touches), tuple(self._unjudged(ran)))

    def _written(self, answers: list[Any]) -> Iterator[Touch]:
        gaps = self._gaps
        for gap, text, at in answers:
            if gap in gaps:
                place, known = gaps[gap]
                state = known.get(text) or known.judge(text)
                if state != UNTOUCHED:
                    yield at, place, state

    def _ran(self, runs: list[Any]) -> Iterator[Touch]:
        for place, run in zip(self.places.values(), runs, strict=False):
            if run:
                outcome, _, state, at = run
                came_to = RUNNING if state in Run.ACTIVE else outcome or RAN
                yield at, place, came_to

    def _unjudged(self, runs: list[Any]) -> Iterator[Unjudged]:
        for block, run in zip(self.places, runs, strict=False):
            if run and not run[0] and run[2] not in Run.ACTIVE:
                yield Unjudged(run[1], block)


@lru_cache(maxsize=KEPT_STANDINGS)
def standing_of(ruler: Ruler, answers: str, runs: str) -> Standing:
    """As `Ruler.standing` says; worked out once for what is the same to the letter."""
    return ruler.standing(answers, runs)


def trying(touches: Sequence[Touch]) -> Try | None:
    """The step that somebody is at and doesn't get past yet; None where the last one came right."""
    if not touches:
        return None
    at, place, state = max(touches)
    if state != DIFFERS:
        return None
    came_right = [at for at, _, state in touches if state in (PASSED, RAN)]
    since = max(came_right, default="") or min(touches)[0]
    return Try(place, datetime.fromisoformat(at), datetime.fromisoformat(since))


def is_stuck(tried: Try | None, now: datetime) -> bool:
    """Whether somebody has been at it for STUCK_AFTER_S without getting on, and is still there."""
    if tried is None or (now - tried.at).total_seconds() > GONE_AFTER_S:
        return False
    return (now - tried.since).total_seconds() >= STUCK_AFTER_S


class _Verdicts(dict[str, str]):
    """Answer → state, by one gap's key: a class writes much the same."""

    def __init__(self, gap: Gap) -> None:
        super().__init__()
        self._gap = gap

    def judge(self, text: str) -> str:
        state = _STATE_OF_VERDICT[mark_gap(self._gap, text).verdict]
        if len(self) > KEPT_VERDICTS:
            self.clear()
        self[text] = state
        return state


_STATE_OF_VERDICT = {
    Verdict.RIGHT: PASSED,
    Verdict.NEARLY: DIFFERS,
    Verdict.WRONG: DIFFERS,
    Verdict.FOR_TEACHER: RAN,
    Verdict.EMPTY: UNTOUCHED,
}
