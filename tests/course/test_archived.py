"""A class in the archive: read as it was, changed by nobody, until it is taken out again."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from course.answers import save_answer
from course.assignments import change_assignment, release_marks
from course.classrooms import archive_classroom, end_membership, unarchive_classroom
from course.equal_answers import apply_group, plan_group, undo_group
from course.handins import withdraw
from course.library import get_lesson
from course.marks import give_mark
from course.models import Classroom, Mark
from course.new_keys import apply_new_key, plan_new_key
from course.remarks import answer_remark, ask_remark
from labs.refusal import Refused
from labs.terminals import Taken, store_piece
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
    make_user,
)
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


WORDS_OF_LATER = "done for another class"


@pytest.fixture
def later(client, marked):
    """A year later: what the student does for another class, while the old teacher looks."""
    classroom, student = marked.handin.assignment.classroom, marked.handin.student
    Classroom.objects.filter(pk=classroom.pk).update(
        archived_at=timezone.now() - timedelta(minutes=1)
    )
    Mark.objects.update(marked_at=timezone.now() - timedelta(hours=1))
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="colour", text=WORDS_OF_LATER)
    run = make_finished_run(student, WORDS_OF_LATER.encode(), origin="tiny#hello")
    client.force_login(classroom.teachers()[0].user)
    return SimpleNamespace(
        classroom=classroom,
        student=student,
        assignment=marked.handin.assignment,
        run=run,
        session=make_terminal(student, WORDS_OF_LATER),
        saved=make_checkpoint(run.lab, {"note": WORDS_OF_LATER}),
    )


def test_no_page_of_a_class_shows_what_was_done_after_it_was_archived(client, later):
    pages = [
        reverse("course:student-work", args=[later.classroom.pk, later.student.username]),
        reverse("course:review", args=[later.assignment.pk, later.student.username]),
        reverse("course:class-guide", args=[later.assignment.pk]),
        reverse("course:board", args=[later.assignment.pk]),
        reverse("labs:terminal-list", args=[later.student.username]),
        reverse("labs:file-history", args=[later.run.lab_id]),
    ]
    for page in pages:
        shown = client.get(page, follow=True)
        assert shown.status_code == 200
        text = shown.content.decode()
        assert WORDS_OF_LATER not in text
        assert not [pk for pk in (later.run.pk, later.session.pk) if str(pk) in text]
        assert f"/files/{later.saved.pk}/" not in text


def test_nothing_that_was_done_later_is_reached_by_its_address(client, later):
    lab, saved = later.run.lab_id, later.saved.pk
    addresses = [
        reverse("labs:run-detail", args=[later.run.pk]),
        reverse("labs:run-output", args=[later.run.pk]),
        reverse("labs:terminal-replay", args=[later.session.pk]),
        reverse("labs:checkpoint-detail", args=[lab, saved]),
        reverse("labs:files-zip", args=[lab, saved]),
        reverse("labs:file-download", args=[lab, saved, "note"]),
        reverse("labs:file-difference", args=[lab]) + f"?after={saved}",
    ]
    assert {client.get(address).status_code for address in addresses} == {404}


def test_the_download_of_an_archived_class_ends_where_the_class_did(client, later):
    response = client.post(reverse("course:class-download", args=[later.classroom.pk]))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"Quokka" in everything
    assert WORDS_OF_LATER.encode() not in everything


def test_what_was_done_before_can_still_be_read(client, marked):
    student, classroom = marked.handin.student, marked.handin.assignment.classroom
    teacher = classroom.teachers()[0].user
    unarchive_classroom(classroom, actor=teacher)
    run = make_finished_run(student, b"then\n", origin="tiny#hello")
    saved = make_checkpoint(run.lab, {"note": "then"})
    session = make_terminal(student, "then")
    archive_classroom(classroom, actor=teacher)
    client.force_login(teacher)
    addresses = [
        reverse("labs:run-detail", args=[run.pk]),
        reverse("labs:terminal-replay", args=[session.pk]),
        reverse("labs:checkpoint-detail", args=[run.lab_id, saved.pk]),
    ]
    assert {client.get(address).status_code for address in addresses} == {200}


@pytest.fixture
def shell_over_the_end(client, marked):
    """A shell that was opened in the class and goes on in its archive; its teacher looks."""
    classroom, student = marked.handin.assignment.classroom, marked.handin.student
    teacher = classroom.teachers()[0].user
    unarchive_classroom(classroom, actor=teacher)
    session = make_terminal(student, "shown in class\r\n")
    end = session.recorded_offset
    archive_classroom(classroom, actor=teacher)
    line = json.dumps([9.5, "o", WORDS_OF_LATER]) + "\n"
    store_piece(session, Taken(end, end + len(WORDS_OF_LATER), 9.5, line))
    client.force_login(teacher)
    return session


def test_of_a_shell_that_goes_on_in_the_archive_teachers_see_what_the_class_saw(
    client, shell_over_the_end
):
    session = shell_over_the_end
    page = client.get(reverse("labs:terminal-replay", args=[session.pk]), {"q": "o"})
    assert "What came later belongs to the student" in words_of(page)
    cast = reverse("labs:terminal-cast", args=[session.pk])
    text = reverse("labs:terminal-text", args=[session.pk])
    shown = [page, *(client.get(address) for address in (cast, f"{cast}?pauses=short", text))]
    assert ["shown in class" in answer.content.decode() for answer in shown] == [True] * 4
    assert [WORDS_OF_LATER in answer.content.decode() for answer in shown] == [False] * 4


def test_nor_is_the_rest_of_that_shell_in_the_classs_download(client, shell_over_the_end):
    classroom = shell_over_the_end.owner.memberships.get().classroom
    response = client.post(reverse("course:class-download", args=[classroom.pk]))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    (name,) = [each for each in archive.namelist() if str(shell_over_the_end.pk) in each]
    assert b"shown in class" in archive.read(name)
    assert WORDS_OF_LATER.encode() not in archive.read(name)


def test_its_student_still_sees_all_of_it(client, shell_over_the_end):
    client.force_login(shell_over_the_end.owner)
    text = client.get(reverse("labs:terminal-text", args=[shell_over_the_end.pk]))
    assert WORDS_OF_LATER in text.content.decode()


def test_nobody_looks_in_on_a_shell_once_its_class_is_archived(client, shell_over_the_end):
    address = reverse("labs:terminal-watch", args=[shell_over_the_end.pk])
    assert client.get(address).status_code == 404


def test_a_class_in_use_that_they_share_shows_what_is_done_now(client, later):
    teacher = later.classroom.teachers()[0].user
    make_classroom(teacher=teacher, students=[later.student], name="8b")
    page = client.get(reverse("labs:run-detail", args=[later.run.pk]))
    assert WORDS_OF_LATER in words_of(page)


def test_out_of_the_archive_everything_goes_on(marked):
    classroom = marked.handin.assignment.classroom
    unarchive_classroom(classroom, actor=classroom.teachers()[0].user)
    marked.refresh_from_db()
    give(Mark.objects.select_related("handin__assignment__classroom").get(pk=marked.pk))
    marked.refresh_from_db()
    assert marked.hundredths == 100
