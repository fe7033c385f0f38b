"""The only writer of wishes to have a mark looked at again, and of rubrics."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from course.classrooms import refuse_archived
from course.marks import allowed_points
from course.models import Assignment, HandIn, Remark, RubricLine, User
from course.steps import Step
from labs.refusal import Refused

MAX_RUBRIC_LINES = 9
"""As many as there are digits to press."""


def ask_remark(*, handin: HandIn, step: str, wish: str) -> Remark:
    """The student's wish, one at a time for each step. Raises Refused."""
    if handin.assignment.classroom.is_archived:
        raise Refused(
            _(
                "This class is archived: your marks stay as they are, and nothing was sent. "
                "Ask your teacher in person."
            )
        )
    if not handin.assignment.is_released or not handin.marks.filter(step=step).exists():
        raise Refused(_("This has not been marked yet, so there is nothing to look at again."))
    _refuse_bad(wish)
    try:
        with transaction.atomic():
            return Remark.objects.create(handin=handin, step=step, wish=wish.strip())
    except IntegrityError:
        raise Refused(
            _("You have asked about this already. Your teacher will answer it here.")
        ) from None


def answer_remark(*, remark: Remark, answer: str, teacher: User) -> None:
    """Raises Refused where somebody has answered it meanwhile."""
    refuse_archived(remark.handin.assignment.classroom)
    _refuse_bad(answer)
    mine = Remark.objects.filter(pk=remark.pk, state=Remark.State.OPEN)
    if not mine.update(
        state=Remark.State.ANSWERED,
        answer=answer.strip(),
        answered_by=teacher,
        answered_at=timezone.now(),
    ):
        raise Refused(_("Somebody has answered this meanwhile. Yours was not sent."))


def add_rubric_line(
    *, assignment: Assignment, step: Step, hundredths: int | None, comment: str
) -> RubricLine:
    """Raises Refused where it does not fit."""
    refuse_archived(assignment.classroom)
    points = allowed_points(hundredths, step.maximum)
    _refuse_bad(comment, 500)
    if assignment.rubric.filter(step=step.id).count() >= MAX_RUBRIC_LINES:
        raise Refused(
            _("There are nine lines for this step, one for each digit. Remove one first.")
        )
    return RubricLine.objects.create(
        assignment=assignment, step=step.id, hundredths=points, comment=comment.strip()
    )


def remove_rubric_line(line: RubricLine) -> None:
    """Marks that were given with it stay as they are."""
    refuse_archived(line.assignment.classroom)
    line.delete()


def _refuse_bad(text: str, most: int = 1_000) -> None:
    if not text.strip() or len(text) > most or "\0" in text:
        raise Refused(
            _("Write something, up to %(most)s characters. Nothing was sent.") % {"most": most}
        )
