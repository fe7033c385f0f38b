"""Work for a new demo class: a lesson that is set, handed in, marked, and asked about.

Everything goes the ways that people's own work goes, so nothing here needs a lab or a worker.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from course.answers import save_answer
from course.assignments import release_marks, set_assignment, steps_of_assignment
from course.handins import hand_in
from course.help import ask_help
from course.lessons.model import Gap, Lesson
from course.library import get_lesson
from course.marks import give_mark, marks_by_step
from course.models import Assignment, Classroom, HandIn, User
from course.remarks import ask_remark
from course.steps import Step

LESSON = "checkpoints"


def make_demo_work(classroom: Classroom, people: Mapping[str, User]) -> None:
    """What a week in class leaves behind; nothing where that lesson is not installed as ours is."""
    lesson = get_lesson(LESSON)
    if lesson is None or not any(gap.is_open for gap in _shown(lesson).gaps.values()):
        return
    assignment = _set_lesson(classroom, lesson, people["teacher"])
    handin = _hand_in(assignment, lesson, people["student1"])
    _mark(handin, people["teacher"])
    ask_help(student=people["student2"])


def _track_of(lesson: Lesson) -> str:
    return lesson.tracks[0].id if lesson.tracks else ""


def _shown(lesson: Lesson) -> Lesson:
    return lesson.for_track(_track_of(lesson))


def _set_lesson(classroom: Classroom, lesson: Lesson, teacher: User) -> Assignment:
    """Without files: nobody would have to save them yet."""
    now, shown = timezone.now(), _shown(lesson)
    points = {f"gap:{gap.id}": 2 if gap.is_open else 1 for gap in shown.gaps.values()}
    fields = {
        "points": points | {f"block:{block}": 1 for block in shown.blocks},
        "track": _track_of(lesson),
        "opens_at": now - timedelta(days=7),
        "due_at": now + timedelta(days=14),
        "records_files": False,
    }
    return set_assignment(classroom=classroom, lesson=lesson, teacher=teacher, fields=fields)


def _hand_in(assignment: Assignment, lesson: Lesson, student: User) -> HandIn:
    """Every cell but the last one answered, the first one with a key wrongly."""
    shown = _shown(lesson)
    *answered, _blank = shown.gaps.values()
    wrong = next((gap.id for gap in answered if not gap.is_open), "")
    for gap in answered:
        text = _("I am not sure yet.") if gap.id == wrong else _answer_to(gap)
        save_answer(user=student, lesson=shown, gap_id=gap.id, text=text)
    return hand_in(student=student, assignment=assignment, attempt=1)


def _answer_to(gap: Gap) -> str:
    return gap.sample or (gap.accept[0] if gap.accept else _("In my own words."))


def _mark(handin: HandIn, teacher: User) -> None:
    """The first open answer in part, with a comment and a question about it; the last one waits."""
    first, *rest = [step for step in steps_of_assignment(handin.assignment) if step.is_open]
    comment = _("Right so far. Say also what is lost without it.")
    _give(handin, first, first.maximum // 2, comment, teacher)
    for step in rest[:-1]:
        _give(handin, step, step.maximum, "", teacher)
    release_marks(handin.assignment, released=True, actor=teacher)
    handin.refresh_from_db()
    ask_remark(handin=handin, step=first.id, wish=_("I wrote that in the next cell, too."))


def _give(handin: HandIn, step: Step, hundredths: int, comment: str, teacher: User) -> None:
    mark = marks_by_step(handin)[step.id]
    give_mark(
        mark=mark,
        maximum=step.maximum,
        version=mark.version,
        hundredths=hundredths,
        comment=comment,
        marker=teacher,
    )
