"""Marks: by key at once, by hand in any order, together for equal answers, anew by a new key."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from course import equal_answers, marks, new_keys
from course.answers import save_answer
from course.assignments import release_marks, steps_of_assignment
from course.library import get_lesson
from course.marks import Conflict
from course.models import Assignment, Group, HandIn, Mark, MarkEntry
from course.remarks import add_rubric_line, answer_remark, ask_remark
from labs.refusal import Refused
from tests.factories import (
    make_assignment,
    make_classroom,
    make_finished_run,
    make_handin,
    make_user,
)

pytestmark = [pytest.mark.django_db, pytest.mark.core]

OPEN = "gap:own-words"
HELLO = "docker exec agent echo hello from the lab"


@pytest.fixture
def assignment(teacher, students):
    return make_assignment(make_classroom(teacher=teacher, students=students))


def mark_of(handin, step=OPEN):
    found = Mark.objects.select_related("handin__assignment__classroom", "handin__student")
    return found.get(handin=handin, step=step)


def step_of(assignment, step=OPEN):
    (found,) = [known for known in steps_of_assignment(assignment) if known.id == step]
    return found


def give(handin, marker, hundredths, *, step=OPEN, version=None, comment=""):
    mark = mark_of(handin, step)
    return marks.give_mark(
        mark=mark,
        maximum=step_of(handin.assignment, step).maximum,
        version=version or mark.version,
        hundredths=hundredths,
        comment=comment,
        marker=marker,
    )


# By the lesson's key -----------------------------------------------------------------------------


def test_gaps_and_checks_are_marked_at_once_with_their_reasons(students, assignment):
    make_finished_run(students[0], b"hello from the lab\n", origin="tiny#hello", command=HELLO)
    make_finished_run(
        students[0],
        b"",
        origin="tiny#fails",
        command=get_lesson("tiny").blocks["fails"].command,
        exit_code=0,
    )
    handin = make_handin(
        students[0], assignment, {"animal": "  QUOKKA ", "colour": "blue", "own-words": "Mine"}
    )
    found = {mark.step: (mark.hundredths, mark.verdict) for mark in handin.marks.all()}
    assert found == {
        OPEN: (0, "waiting"),
        "gap:animal": (100, "right"),
        "gap:colour": (0, "wrong"),
        "block:hello": (200, "right"),
        "block:fails": (0, "wrong"),
    }
    assert mark_of(handin, "block:fails").reason == ("This does not hold: ends with exit code 1.")
    assert (handin.earned, handin.waiting) == (300, 1)


def test_what_was_not_done_earns_nothing_and_waits_for_nobody(students, assignment):
    handin = make_handin(students[0], assignment, {})
    assert {mark.verdict for mark in handin.marks.all()} == {"empty"}
    assert (handin.earned, handin.waiting) == (0, 0)


def test_a_run_of_another_command_is_for_the_teacher(students, assignment):
    make_finished_run(students[0], origin="tiny#hello", command="docker exec agent echo hi")
    handin = make_handin(students[0], assignment, {})
    assert mark_of(handin, "block:hello").verdict == "waiting"


# By hand -----------------------------------------------------------------------------------------


def test_a_mark_says_who_when_and_why_and_keeps_what_was_before(students, teacher, assignment):
    handin = make_handin(students[0], assignment, {"own-words": "Mine"})
    give(handin, teacher, 250, comment="well put")
    give(handin, teacher, 400, comment="better than I thought")
    history = marks.history_of(mark_of(handin))
    assert [(e.version, e.hundredths, e.cause, e.comment) for e in history] == [
        (3, 400, "teacher", "better than I thought"),
        (2, 250, "teacher", "well put"),
        (1, 0, "automatic", ""),
    ]
    assert history[0].marked_by == teacher
    assert HandIn.objects.get(pk=handin.pk).earned == 400


def test_two_markers_at_once_get_a_conflict_and_no_mark_is_lost(students, teacher, assignment):
    other = make_user("mr-ratburn")
    handin = make_handin(students[0], assignment, {"own-words": "Mine"})
    give(handin, teacher, 400, version=1)
    with pytest.raises(Conflict, match="marked by ms-frizzle: 4 points") as conflict:
        give(handin, other, 100, version=1)
    assert conflict.value.mark.version == 2
    assert mark_of(handin).hundredths == 400
    assert give(handin, other, 100, version=2).hundredths == 100


@pytest.mark.parametrize("points", [None, 401])
def test_points_that_dont_fit_are_refused(students, teacher, assignment, points):
    handin = make_handin(students[0], assignment, {"own-words": "Mine"})
    with pytest.raises(Refused, match="from 0 to 4"):
        give(handin, teacher, points)
    assert MarkEntry.objects.filter(handin=handin, step=OPEN).count() == 1


# Equal answers -----------------------------------------------------------------------------------


def test_equal_answers_are_marked_once_after_showing_who_changes(students, teacher, assignment):
    ada, bob = (
        make_handin(student, assignment, {"own-words": text})
        for student, text in zip(students, ["The heron waits.", "the  HERON waits"], strict=False)
    )
    cleo = make_handin(students[2], assignment, {"own-words": "Something else"})
    plan = equal_answers.plan_group(mark_of(ada), 300, "Nice")
    assert {change.mark.handin_id for change in plan.changes} == {ada.pk, bob.pk}
    equal_answers.apply_group(plan, fingerprint=plan.fingerprint, marker=teacher)
    assert [mark_of(h).hundredths for h in (ada, bob, cleo)] == [300, 300, 0]
    assert mark_of(cleo).verdict == "waiting"


def test_a_preview_that_is_out_of_date_changes_nobody(students, teacher, assignment):
    ada, bob = (make_handin(s, assignment, {"own-words": "Same"}) for s in students[:2])
    shown = equal_answers.plan_group(mark_of(ada), 300, "").fingerprint
    give(bob, teacher, 100)
    plan = equal_answers.plan_group(mark_of(ada), 300, "")
    with pytest.raises(Refused, match="nothing was changed"):
        equal_answers.apply_group(plan, fingerprint=shown, marker=teacher)
    assert [mark_of(h).hundredths for h in (ada, bob)] == [0, 100]
    assert not Group.objects.exists()


def test_undo_brings_all_back_but_what_was_marked_since(students, teacher, assignment):
    ada, bob = (make_handin(s, assignment, {"own-words": "Same"}) for s in students[:2])
    plan = equal_answers.plan_group(mark_of(ada), 300, "")
    group = equal_answers.apply_group(plan, fingerprint=plan.fingerprint, marker=teacher)
    give(bob, teacher, 100)
    assert equal_answers.undo_group(group, marker=teacher) == 1
    assert (mark_of(ada).verdict, mark_of(bob).hundredths) == ("waiting", 100)
    assert equal_answers.undo_group(group, marker=teacher) == 0


def test_a_later_hand_in_with_that_answer_gets_the_same(students, teacher, assignment):
    ada = make_handin(students[0], assignment, {"own-words": "Same"})
    plan = equal_answers.plan_group(mark_of(ada), 300, "Nice")
    group = equal_answers.apply_group(plan, fingerprint=plan.fingerprint, marker=teacher)
    bob = make_handin(students[1], assignment, {"own-words": "same."})
    assert (mark_of(bob).hundredths, mark_of(bob).comment) == (300, "Nice")
    assert HandIn.objects.get(pk=bob.pk).waiting == 0
    equal_answers.undo_group(group, marker=teacher)
    assert mark_of(bob).verdict == "waiting"


# A new key ---------------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path, settings):
    """The tiny lesson in a folder of its own, to be changed."""
    shutil.copytree(Path(__file__).parent.parent / "lessons" / "tiny", tmp_path / "a" / "tiny")
    settings.LESSON_DIRS = [tmp_path / "a"]
    return tmp_path


def accept_heron(shelf, settings):
    shutil.copytree(shelf / "a", shelf / "b")
    path = shelf / "b" / "tiny" / "lesson.md"
    path.write_text(path.read_text().replace("accept: quokka", "accept: [quokka, heron]"))
    settings.LESSON_DIRS = [shelf / "b"]
    return get_lesson("tiny")


def test_the_same_answer_handed_in_again_keeps_what_a_teacher_gave_it(
    students, teacher, assignment
):
    first = make_handin(students[0], assignment, {"own-words": "Mine", "animal": "Wombat"})
    give(first, teacher, 300, comment="Good.")
    second = make_handin(students[0], assignment, {"animal": "Quokka"})
    kept = mark_of(second)
    assert (kept.hundredths, kept.verdict, kept.comment) == (300, "marked", "Good.")
    assert (kept.cause, kept.marked_by) == ("earlier", teacher)
    assert mark_of(second, "gap:animal").verdict == "right"
    third = make_handin(students[0], assignment, {"own-words": "Other words."})
    assert mark_of(third).verdict == "waiting"
    fourth = make_handin(students[0], assignment, {"own-words": "Mine"})
    assert mark_of(fourth).hundredths == 300
    assert [entry.cause for entry in marks.history_of(mark_of(fourth))] == ["earlier", "automatic"]


def test_what_a_teacher_gave_one_student_is_no_other_students(students, teacher, assignment):
    give(make_handin(students[0], assignment, {"own-words": "Mine"}), teacher, 300)
    assert mark_of(make_handin(students[1], assignment, {"own-words": "Mine"})).hundredths == 0


def test_a_changed_key_marks_everybody_anew_after_showing_who_changes(
    shelf, settings, students, teacher
):
    assignment = make_assignment(make_classroom(teacher=teacher, students=students))
    ada, bob, cleo = (make_handin(s, assignment, {"animal": "heron"}) for s in students)
    give(bob, teacher, 50, step="gap:animal")
    old = assignment.lesson_version
    lesson = accept_heron(shelf, settings)
    assert new_keys.newer_lesson(assignment) == lesson
    plan = new_keys.plan_new_key(assignment, lesson)
    assert {(c.mark.handin_id, c.hundredths) for c in plan.changes} == {
        (ada.pk, 100),
        (cleo.pk, 100),
    }
    assert mark_of(ada, "gap:animal").hundredths == 0
    new_keys.apply_new_key(assignment, plan, fingerprint=plan.fingerprint, marker=teacher)
    points = [mark_of(h, "gap:animal").hundredths for h in (ada, bob, cleo)]
    assert points == [100, 50, 100]
    assert Assignment.objects.get(pk=assignment.pk).lesson_version == lesson.version != old
    entries = MarkEntry.objects.filter(handin=ada, step="gap:animal")
    assert [entry.lesson_version for entry in entries] == [lesson.version, old]


def test_what_was_undone_goes_by_the_key_again_as_if_nobody_had_marked_it(
    shelf, settings, students, teacher
):
    assignment = make_assignment(make_classroom(teacher=teacher, students=students))
    ada, bob = (make_handin(s, assignment, {"animal": "heron"}) for s in students[:2])
    give(bob, teacher, 50, step="gap:animal")
    for hundredths in (0, 100):
        plan = equal_answers.plan_group(mark_of(ada, "gap:animal"), hundredths, "Together")
        group = equal_answers.apply_group(plan, fingerprint=plan.fingerprint, marker=teacher)
        equal_answers.undo_group(group, marker=teacher)
    assert mark_of(ada, "gap:animal").is_automatic
    assert mark_of(bob, "gap:animal").cause == "teacher"
    plan = new_keys.plan_new_key(assignment, accept_heron(shelf, settings))
    assert {change.mark.handin_id for change in plan.changes} == {ada.pk}


def test_until_a_teacher_says_so_new_hand_ins_go_by_the_pinned_key(
    shelf, settings, students, teacher
):
    assignment = make_assignment(make_classroom(teacher=teacher, students=students))
    accept_heron(shelf, settings)
    lesson = get_lesson("tiny")
    save_answer(user=students[0], lesson=lesson, gap_id="animal", text="heron")
    handin = make_handin(students[0], assignment, {})
    assert mark_of(handin, "gap:animal").hundredths == 0


def test_a_new_key_that_changes_again_meanwhile_changes_nobody(shelf, settings, students, teacher):
    assignment = make_assignment(make_classroom(teacher=teacher, students=students))
    ada = make_handin(students[0], assignment, {"animal": "heron"})
    plan = new_keys.plan_new_key(assignment, accept_heron(shelf, settings))
    give(ada, teacher, 50, step="gap:animal")
    with pytest.raises(Refused, match="nothing was changed here"):
        new_keys.apply_new_key(assignment, plan, fingerprint=plan.fingerprint, marker=teacher)
    assert mark_of(ada, "gap:animal").hundredths == 50
    assert Assignment.objects.get(pk=assignment.pk).lesson_version == assignment.lesson_version


# Asked again, and rubrics ------------------------------------------------------------------------


def test_a_student_asks_once_at_a_time_and_the_teacher_answers_once(students, teacher, assignment):
    handin = make_handin(students[0], assignment, {"animal": "heron"})
    with pytest.raises(Refused, match="not been marked yet"):
        ask_remark(handin=handin, step="gap:animal", wish="Why?")
    release_marks(assignment, released=True)
    handin = HandIn.objects.select_related("assignment").get(pk=handin.pk)
    remark = ask_remark(handin=handin, step="gap:animal", wish="Why?")
    with pytest.raises(Refused, match="asked about this already"):
        ask_remark(handin=handin, step="gap:animal", wish="Why??")
    answer_remark(remark=remark, answer="It is a bird.", teacher=teacher)
    with pytest.raises(Refused, match="Yours was not sent"):
        answer_remark(remark=remark, answer="No.", teacher=teacher)
    assert ask_remark(handin=handin, step="gap:animal", wish="And now?").state == "open"


def test_a_rubric_has_at_most_a_line_for_each_digit(assignment):
    step = step_of(assignment)
    for number in range(9):
        add_rubric_line(assignment=assignment, step=step, hundredths=100, comment=f"line {number}")
    with pytest.raises(Refused, match="one for each digit"):
        add_rubric_line(assignment=assignment, step=step, hundredths=100, comment="one more")
    with pytest.raises(Refused, match="from 0 to 4"):
        add_rubric_line(assignment=assignment, step=step, hundredths=500, comment="too much")
