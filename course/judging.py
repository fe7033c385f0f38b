"""A step and what was handed in for it → what it is worth by the lesson's own key. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from course.lessons.comparing import Tick, check_run
from course.lessons.marking import Verdict, mark_gap, normalise
from course.lessons.model import Block, Gap
from course.manifests import Content, Receipt
from course.steps import Step

VERDICTS = {
    Verdict.RIGHT: "right",
    Verdict.NEARLY: "nearly",
    Verdict.WRONG: "wrong",
    Verdict.EMPTY: "empty",
    Verdict.FOR_TEACHER: "waiting",
}


@dataclass(frozen=True)
class Judgement:
    """What one step is worth, and why."""

    hundredths: int
    verdict: str
    """As `Mark.Verdict` has them."""
    reason: str
    answer_key: str = ""
    """The same for answers that say the same."""


def judge(step: Step, content: Content) -> Judgement:
    if step.gap:
        return _judge_answer(step, step.gap, content.answers.get(step.gap.id, ""))
    if step.block:
        return _judge_receipt(step, step.block, content.receipts.get(step.block.id))
    raise ValueError(f"{step.id} is neither gap nor block")


def key_of_answer(gap: Gap, answer: str) -> str:
    """Equal for answers that differ only in what the gap ignores."""
    said = normalise(answer, gap.ignore)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest() if said else ""


def _judge_answer(step: Step, gap: Gap, answer: str) -> Judgement:
    mark = mark_gap(gap, answer)
    earned = step.maximum if mark.verdict is Verdict.RIGHT else 0
    return Judgement(earned, VERDICTS[mark.verdict], mark.reason, key_of_answer(gap, answer))


def _judge_receipt(step: Step, block: Block, receipt: Receipt | None) -> Judgement:
    if receipt is None:
        return Judgement(0, "empty", "This command was not run.")
    if receipt.state == "lost":
        return Judgement(0, "empty", "Nobody knows how the run of this command ended.")
    if not receipt.is_over:
        return Judgement(0, "waiting", "It was still running when it was handed in.")
    if receipt.command != block.command:
        return Judgement(0, "waiting", "The lesson's command has changed since it was run.")
    return _judge_ticks(step, ticks_of(block, receipt))


def _judge_ticks(step: Step, ticks: tuple[Tick, ...]) -> Judgement:
    wrong = [tick.sentence for tick in ticks if tick.holds is False]
    if wrong:
        return Judgement(0, "wrong", f"This does not hold: {'; '.join(wrong)}.")
    unknown = [tick.sentence for tick in ticks if tick.holds is None]
    if unknown:
        return Judgement(0, "waiting", f"This could not be checked: {'; '.join(unknown)}.")
    held = "; ".join(tick.sentence for tick in ticks)
    return Judgement(step.maximum, "right", f"It does what it should: {held}.")


def ticks_of(block: Block, receipt: Receipt) -> tuple[Tick, ...]:
    """As they were found when it was handed in. What the block expects only since then is looked
    for in the kept output; of files nothing is known any more."""
    known: Mapping[str, bool | None] = dict(receipt.ticks)
    anew = check_run(block, receipt.exit_code, receipt.output_text, None)
    return tuple(Tick(tick.sentence, known.get(tick.sentence, tick.holds)) for tick in anew)
