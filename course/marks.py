"""The only writer of marks and their history.

A mark changes by one conditional UPDATE on the version that its giver saw; every version stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.db.models import Count, F, IntegerField, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from course.classrooms import refuse_archived
from course.judging import Judgement, judge
from course.manifests import Content
from course.models import Group, HandIn, Mark, MarkEntry, User
from course.steps import Step, show_points
from labs.refusal import Refused

MAX_COMMENT_CHARS = 2_000


@dataclass(frozen=True)
class Change:
    """What one mark is to become. `mark` is as it was read: its version is what is compared."""

    mark: Mark
    hundredths: int
    verdict: str
    reason: str = ""
    comment: str = ""
    answer_key: str = ""
    restores: MarkEntry | None = None
    """The entry that holds again: whose mark it was then, it is from now on."""


@dataclass(frozen=True)
class Giver:
    """Who changes marks, and on what grounds."""

    cause: str
    """As `Mark.Cause` has them."""
    lesson_version: str
    marked_by: User | None = None
    """None: the site itself."""
    group: Group | None = None


class Conflict(Refused):
    """Somebody else has changed the mark meanwhile; `mark` is what it is now."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark
        who = mark.marked_by.shown_name if mark.marked_by else _("the lesson's key")
        super().__init__(
            _(
                "Meanwhile this was marked by %(who)s: %(points)s points. That is kept, and yours "
                "was not saved. What you typed still stands here: save again to replace theirs."
            )
            % {"who": who, "points": show_points(mark.hundredths)}
        )


def mark_by_key(*, handin: HandIn, steps: Sequence[Step], content: Content) -> None:
    """The first mark of every step of a fresh hand-in; equal answers as teachers marked them.

    What a teacher gave an earlier attempt goes before what all who wrote the same were given.
    """
    judged = {step.id: judge(step, content) for step in steps}
    now, version = timezone.now(), handin.assignment.lesson_version
    marks = Mark.objects.bulk_create(
        _first_mark(handin, step, judgement, now) for step, judgement in judged.items()
    )
    giver = Giver(Mark.Cause.AUTOMATIC, version)
    MarkEntry.objects.bulk_create(_entry(mark, giver) for mark in marks)
    written = [mark for mark in marks if mark.answer_key]
    _apply_groups(handin, _bring_along(handin, written), version)
    refresh_totals([handin.pk])


def _first_mark(handin: HandIn, step: str, judgement: Judgement, now: datetime) -> Mark:
    return Mark(
        handin=handin,
        step=step,
        hundredths=judgement.hundredths,
        verdict=judgement.verdict,
        reason=judgement.reason,
        answer_key=judgement.answer_key,
        marked_at=now,
    )


def _bring_along(handin: HandIn, marks: Iterable[Mark]) -> list[Mark]:
    """Gives what a teacher gave the same answer in the attempt before. The marks that got none."""
    earlier = Mark.objects.filter(
        handin__assignment=handin.assignment_id,
        handin__student=handin.student_id,
        handin__attempt__lt=handin.attempt,
    ).select_related("marked_by")
    newest = {(old.step, old.answer_key): old for old in earlier.order_by("handin__attempt")}
    left = []
    for mark in marks:
        old = newest.get((mark.step, mark.answer_key))
        if old and old.cause in (Mark.Cause.TEACHER, Mark.Cause.EARLIER):
            given = marked(mark, old.hundredths, old.comment)
            version = handin.assignment.lesson_version
            write([given], Giver(Mark.Cause.EARLIER, version, old.marked_by))
        else:
            left.append(mark)
    return left


def _apply_groups(handin: HandIn, marks: Iterable[Mark], version: str) -> None:
    standing = Group.objects.filter(assignment=handin.assignment_id, undone_at=None)
    newest = {(g.step, g.answer_key): g for g in standing.order_by("made_at")}
    for mark in marks:
        if group := newest.get((mark.step, mark.answer_key)):
            given = replace(marked(mark, group.hundredths), comment=group.comment)
            write([given], Giver(Mark.Cause.SAME_ANSWER, version, group.made_by, group))


def marked(mark: Mark, hundredths: int, comment: str = "") -> Change:
    """The change of a person who gives these points."""
    return Change(mark, hundredths, Mark.Verdict.MARKED, "", comment, mark.answer_key)


def give_mark(
    *, mark: Mark, maximum: int, version: int, hundredths: int | None, comment: str, marker: User
) -> Mark:
    """The mark as this person gives it, if it still is of that version; `maximum` as points.

    Raises Conflict where it isn't, and Refused where the points don't fit or the class is archived.
    """
    refuse_archived(mark.handin.assignment.classroom)
    hundredths = allowed_points(hundredths, maximum)
    refuse_long(comment)
    change = marked(mark, hundredths, comment)
    change.mark.version = version
    giver = Giver(Mark.Cause.TEACHER, mark.handin.assignment.lesson_version, marker)
    missed = write([change], giver)
    mark = Mark.objects.select_related("handin__assignment__classroom", "marked_by").get(pk=mark.pk)
    if missed:
        raise Conflict(mark)
    return mark


def allowed_points(hundredths: int | None, maximum: int) -> int:
    """The points, in hundredths as `maximum`. Raises Refused for none, or for too many."""
    if hundredths is None or hundredths > maximum:
        raise Refused(
            _("Give a number from 0 to %(most)s, such as 1 or 0.5. Nothing was changed.")
            % {"most": show_points(maximum)}
        )
    return hundredths


def refuse_long(text: str) -> None:
    if len(text) > MAX_COMMENT_CHARS or "\0" in text:
        raise Refused(
            _("The comment is too long or holds signs that can't be kept. Nothing was changed.")
        )


def write(changes: Collection[Change], giver: Giver) -> list[Mark]:
    """The marks that were not changed, since somebody else was faster; all others are."""
    now = timezone.now()
    missed = []
    with transaction.atomic():
        for change in changes:
            if not _write_one(change, giver, now):
                missed.append(change.mark)
        refresh_totals({change.mark.handin_id for change in changes})
    return missed


def _write_one(change: Change, giver: Giver, now: datetime) -> bool:
    mark, whose = change.mark, change.restores or giver
    fields = {
        "hundredths": change.hundredths,
        "verdict": change.verdict,
        "reason": change.reason,
        "comment": change.comment,
        "answer_key": change.answer_key,
        "cause": whose.cause,
        "marked_by": whose.marked_by,
        "marked_at": now,
    }
    still = Mark.objects.filter(pk=mark.pk, version=mark.version)
    if not still.update(version=F("version") + 1, **fields):
        return False
    for name, value in fields.items():
        setattr(mark, name, value)
    mark.version += 1
    _entry(mark, giver).save(force_insert=True)
    return True


def _entry(mark: Mark, giver: Giver) -> MarkEntry:
    return MarkEntry(
        handin_id=mark.handin_id,
        step=mark.step,
        version=mark.version,
        hundredths=mark.hundredths,
        verdict=mark.verdict,
        reason=mark.reason,
        comment=mark.comment,
        cause=giver.cause,
        lesson_version=giver.lesson_version,
        group=giver.group,
        marked_by=giver.marked_by,
        marked_at=mark.marked_at,
    )


def refresh_totals(handins: Collection[int]) -> None:
    """Keeps the sums on the hand-ins that lists and gradebooks read. One query."""
    mine = Mark.objects.filter(handin=OuterRef("pk")).order_by().values("handin")
    waiting = Count("pk", filter=Q(verdict=Mark.Verdict.WAITING))
    HandIn.objects.filter(pk__in=handins).update(
        earned=_sum_of(mine.annotate(value=Sum("hundredths"))),
        waiting=_sum_of(mine.annotate(value=waiting)),
    )


def _sum_of(rows: object) -> Coalesce:
    counted = Subquery(rows.values("value"), output_field=IntegerField())  # type: ignore[attr-defined] # annotated
    return Coalesce(counted, 0)


def history_of(mark: Mark) -> list[MarkEntry]:
    """Everything that this step was ever given, newest first. One query."""
    entries = MarkEntry.objects.filter(handin=mark.handin_id, step=mark.step)
    return list(entries.select_related("marked_by"))


def marks_by_step(handin: HandIn) -> Mapping[str, Mark]:
    """One query."""
    return {mark.step: mark for mark in handin.marks.select_related("marked_by")}
