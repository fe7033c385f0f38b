"""One mark for everybody who wrote the same: shown before it is given, and undone whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from course import marks
from course.classrooms import refuse_archived
from course.marks import Change, Giver
from course.models import Group, Mark, MarkEntry, User
from labs.refusal import Refused


@dataclass(frozen=True)
class GroupPlan:
    """Who would change, before anybody does."""

    mark: Mark
    """The answer that all of these wrote."""
    hundredths: int
    comment: str
    changes: tuple[Change, ...]
    same: int
    """How many have these points already and stay as they are."""

    @property
    def fingerprint(self) -> str:
        """The same only while every mark is still as it was shown."""
        return fingerprint_of(change.mark for change in self.changes)


def fingerprint_of(shown: Iterable[Mark]) -> str:
    text = ",".join(f"{mark.pk}@{mark.version}" for mark in shown)
    return hashlib.sha256(text.encode()).hexdigest()


def plan_group(mark: Mark, hundredths: int, comment: str) -> GroupPlan:
    """Every mark of that answer that would change. One query."""
    if not mark.answer_key:
        raise Refused(_("There is no answer here that others could have written, too."))
    equal = Mark.objects.same_answer(mark).select_related("handin__student").order_by("pk")
    rows = list(equal)
    changes = [
        marks.marked(row, hundredths, comment)
        for row in rows
        if (row.hundredths, row.comment) != (hundredths, comment)
        or row.verdict == Mark.Verdict.WAITING
    ]
    return GroupPlan(mark, hundredths, comment, tuple(changes), len(rows) - len(changes))


def apply_group(plan: GroupPlan, *, fingerprint: str, marker: User) -> Group:
    """Gives the points to everybody who was shown. Raises Refused where that is out of date."""
    assignment = plan.mark.handin.assignment
    refuse_archived(assignment.classroom)
    with transaction.atomic():
        if plan.fingerprint != fingerprint:
            raise _out_of_date()
        group = Group.objects.create(
            assignment=assignment,
            step=plan.mark.step,
            answer_key=plan.mark.answer_key,
            hundredths=plan.hundredths,
            comment=plan.comment,
            made_by=marker,
        )
        giver = Giver(Mark.Cause.SAME_ANSWER, assignment.lesson_version, marker, group)
        if marks.write(plan.changes, giver):
            raise _out_of_date()
    return group


def undo_group(group: Group, *, marker: User) -> int:
    """How many marks are as they were before; those changed since stay as they are."""
    refuse_archived(group.assignment.classroom)
    with transaction.atomic():
        standing = Group.objects.filter(pk=group.pk, undone_at=None)
        if not standing.update(undone_at=timezone.now()):
            return 0
        changes = list(_changes_back(group))
        giver = Giver(Mark.Cause.UNDONE, group.assignment.lesson_version, marker)
        return len(changes) - len(marks.write(changes, giver))


def _changes_back(group: Group) -> Iterable[Change]:
    entries = {(entry.handin_id, entry.step): entry for entry in group.entries.all()}
    handins = [handin for handin, _step in entries]
    before = {
        (entry.handin_id, entry.version): entry
        for entry in MarkEntry.objects.filter(handin__in=handins, step=group.step).select_related(
            "marked_by"
        )
    }
    for mark in Mark.objects.filter(handin__in=handins, step=group.step):
        entry = entries[mark.handin_id, mark.step]
        old = before.get((mark.handin_id, entry.version - 1))
        if mark.version == entry.version and old:
            yield Change(
                mark,
                old.hundredths,
                old.verdict,
                old.reason,
                old.comment,
                mark.answer_key,
                restores=_first_of(old, before),
            )


def _first_of(entry: MarkEntry, before: Mapping[tuple[int, int], MarkEntry]) -> MarkEntry:
    """Itself; of an undoing the entry that it brought back, which stands before what was undone."""
    while entry.cause == Mark.Cause.UNDONE:
        entry = before[entry.handin_id, entry.version - 2]
    return entry


def _out_of_date() -> Refused:
    return Refused(
        _(
            "Meanwhile somebody else marked one of these answers, so nothing was changed. "
            "Look at the list again, then confirm."
        )
    )
