"""A class in the archive: read as it was, changed by nobody, until it is taken out again."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.urls import reverse

from course.assignments import change_assignment, release_marks
from course.classrooms import archive_classroom, end_membership, unarchive_classroom
from course.equal_answers import apply_group, plan_group, undo_group
from course.handins import withdraw
from course.library import get_lesson
from course.marks import give_mark
from course.models import Mark
from course.new_keys import apply_new_key, plan_new_key
from course.remarks import answer_remark, ask_remark
from labs.refusal import Refused
from tests.factories import make_assignment, make_classroom, make_handin, make_user
from tests.markup import elements, words_of
from tests.site_walk import SENT, all_addresses, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.core]

OF_A_CLASS = (
    *("course.Assignment", "course.Extension", "course.Group", "course.HandIn", "course.Mark"),
    *("course.MarkEntry", "course.RubricLine", "course.Remark", "course.Membership"),
    *("course.JoinRequest", "course.Invitation", "course.RosterPlan", "labs.Muster"),
)
STILL_POSSIBLE = {"course:classroom-archive", "course:classroom-settings", "course:classroom-leave"}
"""Out of the archive, how long it is kept, and out of the class oneself."""
NAMES_OF_A_CLASS = {"pk", "assignment_id", "handin_id", "remark_id"}
POSTS = sorted(
    name
    for name, parameters in all_addresses().items()
    if name.startswith("course:")
    and NAMES_OF_A_CLASS & set(parameters)
    and name not in STILL_POSSIBLE
)


@pytest.fixture
def world():
    world = make_world()
    archive_classroom(world.classroom, actor=world.people["teacher"])
    return world


@pytest.fixture
def marked():
    """An answer that was marked, in an archived class: its teacher, student and mark."""
    teacher, student = make_user("ms-frizzle"), make_user("ada")
    classroom = make_classroom(teacher=teacher, students=[student])
    handin = make_handin(
        student, make_assignment(classroom, records_files=False), {"animal": "Quokka"}
    )
    release_marks(handin.assignment, released=True)
    handin.refresh_from_db()
    ask_remark(handin=handin, step="gap:animal", wish="It is one.")
    plan = plan_group(handin.marks.get(step="gap:animal"), 50, "")
    apply_group(plan, fingerprint=plan.fingerprint, marker=teacher)
    archive_classroom(classroom, actor=teacher)
    return Mark.objects.select_related("handin__assignment__classroom").get(step="gap:animal")


def rows():
    return {
        label: list(apps.get_model(label).objects.order_by("pk").values()) for label in OF_A_CLASS
    }


@pytest.mark.parametrize("name", POSTS)
def test_no_form_changes_anything_of_an_archived_class(world, name):
    before = rows()
    address = world.address(name, all_addresses()[name])
    for person in ("teacher", "assistant", "admin", "owner"):
        world.client(person).post(address, SENT.get(name, {}))
    assert rows() == before


def give(mark):
    give_mark(
        mark=mark,
        maximum=100,
        version=mark.version,
        hundredths=100,
        comment="",
        marker=mark.handin.assignment.classroom.teachers()[0].user,
    )


def mark_equal(mark):
    plan = plan_group(mark, 100, "")
    apply_group(plan, fingerprint=plan.fingerprint, marker=mark.handin.student)


def mark_anew(mark):
    plan = plan_new_key(mark.handin.assignment, get_lesson("tiny"))
    apply_new_key(
        mark.handin.assignment, plan, fingerprint=plan.fingerprint, marker=mark.handin.student
    )


DEEDS = {
    "give": give,
    "mark equal": mark_equal,
    "undo": lambda mark: undo_group(
        mark.handin.assignment.groups.get(), marker=mark.handin.student
    ),
    "mark anew": mark_anew,
    "change": lambda mark: change_assignment(assignment=mark.handin.assignment, fields={}),
    "answer": lambda mark: answer_remark(
        remark=mark.handin.remarks.get(), answer="so", teacher=mark.handin.student
    ),
    "ask": lambda mark: ask_remark(handin=mark.handin, step="gap:colour", wish="why"),
    "withdraw": lambda mark: withdraw(mark.handin, now=mark.handin.handed_in_at),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_each_refusal_says_that_the_class_is_archived_and_what_was_kept(marked, deed):
    before = rows()
    with pytest.raises(Refused, match="This class is archived"):
        deed(marked)
    assert rows() == before


def test_a_teacher_is_told_on_every_page_and_led_to_the_way_out(client, marked):
    assignment = marked.handin.assignment
    client.force_login(assignment.classroom.teachers()[0].user)
    settings = reverse("course:classroom-settings", args=[assignment.classroom_id])
    for name in ("assignment-detail", "marking", "rubric", "remark-list", "gradebook"):
        page = client.get(reverse(f"course:{name}", args=[assignment.pk]) + "?show=all")
        assert "nothing can be changed" in words_of(page)
        assert elements(page, "a", href=settings)
        actions = [form.attrs.get("action", "") for form in elements(page, "form", method="post")]
        assert not [action for action in actions if "/assignments/" in action]


def test_students_still_read_what_they_handed_in_and_their_marks(client, marked):
    client.force_login(marked.handin.student)
    page = client.get(reverse("course:handin-detail", args=[marked.handin_id]))
    assert "Quokka" in words_of(page)
    assert "0.5" in words_of(page)
    assert "Ask to look at it again" not in words_of(page)
    assert "Withdraw it" not in words_of(page)


def test_a_student_may_leave_an_archived_class_but_is_not_removed(marked):
    classroom, student = marked.handin.assignment.classroom, marked.handin.student
    with pytest.raises(Refused, match="This class is archived"):
        end_membership(classroom, actor=classroom.teachers()[0].user, user=student)
    assert classroom.students().count() == 1
    end_membership(classroom, actor=student, user=student)
    assert classroom.students().count() == 0


def test_out_of_the_archive_everything_goes_on(marked):
    classroom = marked.handin.assignment.classroom
    unarchive_classroom(classroom, actor=classroom.teachers()[0].user)
    marked.refresh_from_db()
    give(Mark.objects.select_related("handin__assignment__classroom").get(pk=marked.pk))
    marked.refresh_from_db()
    assert marked.hundredths == 100
