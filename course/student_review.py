"""All that one student did for one assignment, step by step. Reads only.

Of an archived class what was done up to its end.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from course.gradebook import Student
from course.handins import content_of
from course.lesson_page import origin_of
from course.lessons.marking import Mark as Judged
from course.lessons.marking import mark_gap
from course.lessons.model import Lesson
from course.manifests import Content, Damaged
from course.models import Answer, AnswerEntry, Assignment, HandIn, Mark, MarkEntry, User
from course.outcomes import Outcome, outcomes_of
from course.steps import Step, all_steps, steps_of
from labs.history import files_of
from labs.models import Run, TerminalSession
from labs.rendering import RunView, view_of_run

T = TypeVar("T")
RECEIPTS_SHOWN = 3
"""Of each block with output and difference; the others are named and linked."""
ENTRIES_SHOWN = 20
TERMINALS_SHOWN = 20


@dataclass(frozen=True)
class ReviewedStep:
    """One gap or block: what stands there, what stood there before, and what it earned."""

    step: Step
    answer: Answer | None = None
    judged: Judged | None = None
    """What the lesson's key says of the answer as it is now."""
    earlier: Sequence[AnswerEntry] = ()
    handed_in: str | None = None
    """The answer that was handed in; None where there is none, or it is still the same."""
    receipts: Sequence[tuple[RunView, Outcome | None]] = ()
    older_runs: Sequence[RunView] = ()
    handed_in_run: str = ""
    """Id of the run that was handed in."""
    mark: Mark | None = None
    marks_given: Sequence[MarkEntry] = ()


@dataclass(frozen=True)
class Neighbours:
    """Who stands before and after a student, by name."""

    previous: Student | None
    next: Student | None
    place: int
    """From 1; 0 for somebody who is not in the class."""
    count: int


@dataclass(frozen=True)
class StudentReview:
    handin: HandIn | None
    is_damaged: bool
    """What was handed in no longer has its hash."""
    steps: Sequence[ReviewedStep]
    files: Sequence[object]
    """Of the hand-in's checkpoint: `labs.engine.listing.Entry`."""
    terminals: Sequence[TerminalSession]
    handed_in_terminals: Collection[uuid.UUID]
    """Of which the hand-in keeps the recording."""
    other_runs: Sequence[RunView]
    """Of commands that this version of the lesson doesn't have."""


def neighbours_of(students: Sequence[Student], username: str) -> Neighbours:
    names = [student.username for student in students]
    if username not in names:
        return Neighbours(None, None, 0, len(names))
    at = names.index(username)
    before = students[at - 1] if at else None
    after = students[at + 1] if at + 1 < len(students) else None
    return Neighbours(before, after, at + 1, len(names))


def review_of(student: User, assignment: Assignment, lesson: Lesson) -> StudentReview:
    """Eleven queries, and those of the files that outcomes look into."""
    handin = (
        HandIn.objects.counting()
        .filter(assignment=assignment, student=student)
        .select_related("manifest", "checkpoint", "assignment")
        .first()
    )
    content, is_damaged = _content(handin)
    until = assignment.classroom.archived_at
    runs = _runs(student, lesson, until)
    steps = _with_points(lesson, assignment)
    reviewed = _Reading(student, lesson, handin, content, runs, until).steps(steps)
    return StudentReview(
        handin=handin,
        is_damaged=is_damaged,
        steps=reviewed,
        files=files_of(handin.checkpoint) if handin and handin.checkpoint else (),
        terminals=_terminals(student, until),
        handed_in_terminals=_terminals_in(handin),
        other_runs=[view_of_run(run) for run in runs.get("", ())],
    )


def _with_points(lesson: Lesson, assignment: Assignment) -> list[Step]:
    """Every step, those that earn something with the points they earn here."""
    earning = {step.id: step for step in steps_of(lesson, assignment.points)}
    return [earning.get(step.id, step) for step in all_steps(lesson)]


def _content(handin: HandIn | None) -> tuple[Content, bool]:
    nothing = Content({}, {})
    if handin is None:
        return nothing, False
    try:
        return content_of(handin), False
    except Damaged:
        return nothing, True


def _terminals_in(handin: HandIn | None) -> Collection[uuid.UUID]:
    return set(handin.recordings.values_list("pk", flat=True)) if handin else ()


def _terminals(student: User, until: datetime | None) -> list[TerminalSession]:
    sessions = TerminalSession.objects.of_owner(student)
    return list((sessions.filter(opened_at__lte=until) if until else sessions)[:TERMINALS_SHOWN])


def _runs(student: User, lesson: Lesson, until: datetime | None) -> Mapping[str, list[Run]]:
    """Block id → its runs, newest first, without command; under "" those of no block."""
    blocks = {origin_of(lesson, block): id_ for id_, block in lesson.blocks.items()}
    found: dict[str, list[Run]] = defaultdict(list)
    mine = Run.objects.filter(owner=student).of_origins(f"{lesson.slug}#")
    if until:
        mine = mine.filter(queued_at__lte=until)
    for run in mine.newest_first().without_command():
        found[blocks.get(run.origin, "")].append(run)
    return found


class _Reading:
    """The rows of one student, each kind read once and asked for by step."""

    def __init__(
        self,
        student: User,
        lesson: Lesson,
        handin: HandIn | None,
        content: Content,
        runs: Mapping[str, list[Run]],
        until: datetime | None,
    ) -> None:
        self._lesson, self._content, self._runs = lesson, content, runs
        answers = Answer.objects.of_lesson(lesson.slug).filter(user=student)
        entries = AnswerEntry.objects.of_lesson(lesson.slug).filter(user=student)
        if until:
            answers, entries = (
                answers.filter(saved_at__lte=until),
                entries.filter(saved_at__lte=until),
            )
        self._answers = {answer.gap: answer for answer in answers}
        self._entries = _by(entries.newest_first(), "gap")
        self._receipts = self._read_receipts()
        marks = handin.marks.select_related("marked_by") if handin else ()
        self._marks = {mark.step: mark for mark in marks}
        given = handin.mark_entries.select_related("marked_by") if handin else ()
        self._given = _by(given, "step")

    def steps(self, steps: Iterable[Step]) -> list[ReviewedStep]:
        return [self._gap(step) if step.gap else self._block(step) for step in steps]

    def _gap(self, step: Step) -> ReviewedStep:
        assert step.gap is not None  # noqa: S101 - the caller has looked
        answer = self._answers.get(step.gap.id)
        now = answer.text if answer else ""
        handed_in = self._content.answers.get(step.gap.id)
        return ReviewedStep(
            step,
            answer=answer,
            judged=mark_gap(step.gap, now),
            earlier=self._entries[step.gap.id][:ENTRIES_SHOWN],
            handed_in=handed_in if handed_in != now else None,
            mark=self._marks.get(step.id),
            marks_given=self._given[step.id],
        )

    def _block(self, step: Step) -> ReviewedStep:
        assert step.block is not None  # noqa: S101 - the caller has looked
        kept = self._content.receipts.get(step.block.id)
        older = self._runs.get(step.block.id, [])[RECEIPTS_SHOWN:]
        return ReviewedStep(
            step,
            receipts=self._receipts[step.block.id],
            older_runs=[view_of_run(run) for run in older],
            handed_in_run=kept.run if kept else "",
            mark=self._marks.get(step.id),
            marks_given=self._given[step.id],
        )

    def _read_receipts(self) -> Mapping[str, list[tuple[RunView, Outcome | None]]]:
        """Block id → its newest runs whole, each with what became of it."""
        newest = {
            run.pk: block
            for block, runs in self._runs.items()
            for run in runs[:RECEIPTS_SHOWN]
            if block
        }
        rows = Run.objects.filter(pk__in=newest).newest_first().prefetch_related("chunks")
        views = [view_of_run(run) for run in rows]
        pairs = [(self._lesson.blocks[newest[view.run.pk]], view) for view in views]
        found: dict[str, list[tuple[RunView, Outcome | None]]] = defaultdict(list)
        for (block, view), outcome in zip(pairs, outcomes_of(pairs), strict=True):
            found[block.id].append((view, outcome))
        return found


def _by(rows: Iterable[T], name: str) -> Mapping[str, list[T]]:
    found: dict[str, list[T]] = defaultdict(list)
    for row in rows:
        found[getattr(row, name)].append(row)
    return found
