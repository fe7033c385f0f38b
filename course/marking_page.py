"""One answer as its marker sees it. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from course.handins import content_of
from course.manifests import Content, Damaged, Receipt
from course.marking_queue import Queue, Spot, Way, alias_of
from course.marks import history_of
from course.models import Assignment, Mark, MarkEntry, RubricLine
from course.steps import Step


@dataclass(frozen=True)
class MarkingPage:
    """Everything that stands on the page; without `mark` there is nothing left to do."""

    assignment: Assignment
    steps: Sequence[Step]
    queue: Queue
    next: Spot | None
    previous: Spot | None
    mark: Mark | None = None
    step: Step | None = None
    answer: str = ""
    receipt: Receipt | None = None
    is_damaged: bool = False
    """What was handed in no longer has its hash, so it is not shown."""
    history: Sequence[MarkEntry] = ()
    rubric: Sequence[RubricLine] = ()
    same: int = 0
    """How many others wrote the same."""

    @property
    def way(self) -> Way:
        return self.queue.way

    @property
    def whose(self) -> str:
        """The student's name, or what stands for it while names are hidden."""
        if self.mark is None:
            return ""
        if self.way.hides_names:
            return alias_of(self.assignment, self.mark.handin_id)
        return self.mark.handin.student.shown_name

    @property
    def can_group(self) -> bool:
        return self.mark is not None and bool(self.mark.answer_key)

    @property
    def place(self) -> int:
        """Counted from 1 among all answers of this way."""
        here = self.mark.pk if self.mark else 0
        return 1 + next((n for n, spot in enumerate(self.queue.spots) if spot.mark == here), -1)


def marking_page(
    assignment: Assignment, steps: Sequence[Step], queue: Queue, spot: Spot | None
) -> MarkingPage:
    """Five queries, however many answers there are."""
    step = next((step for step in steps if spot and step.id == spot.step), None)
    if spot is None or step is None:
        return MarkingPage(assignment, steps, queue, None, None)
    mark = Mark.objects.select_related(
        "handin__student", "handin__manifest", "handin__assignment__classroom", "marked_by"
    ).get(pk=spot.mark)
    content = _content(mark)
    is_queued = spot in queue.spots
    return MarkingPage(
        assignment=assignment,
        steps=steps,
        queue=queue,
        next=queue.after(spot) if is_queued else queue.at(None),
        previous=queue.before(spot) if is_queued else None,
        mark=mark,
        step=step,
        answer=content.answers.get(step.gap.id, "") if content and step.gap else "",
        receipt=content.receipts.get(step.block.id) if content and step.block else None,
        is_damaged=content is None,
        history=history_of(mark),
        rubric=list(assignment.rubric.filter(step=step.id)),
        same=Mark.objects.same_answer(mark).count() - 1 if mark.answer_key else 0,
    )


def _content(mark: Mark) -> Content | None:
    """None where it is not as it was handed in."""
    try:
        return content_of(mark.handin)
    except Damaged:
        return None
