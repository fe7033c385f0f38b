"""What teachers see of their classes, and that nobody else does."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from course.answers import save_answer
from course.classrooms import add_member
from course.library import get_lesson
from course.models import Membership
from course.review import RUNS_SHOWN
from tests.factories import make_classroom, make_finished_run, make_user
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

CLASSES = reverse("course:classroom-list")
QUERIES_OF_A_CLASS = 8


@pytest.fixture
def teacher(client):
    teacher = make_user("ms-frizzle")
    client.force_login(teacher)
    return teacher


def class_page(classroom):
    return reverse("course:classroom-detail", args=[classroom.pk])


def page_of(run):
    return reverse("labs:run-detail", args=[run.pk])


def work_page(classroom, student):
    return reverse("course:student-work", args=[classroom.pk, student.username])


def test_a_teacher_sees_the_classes_they_teach_and_no_other(client, teacher):
    ours = make_classroom(teacher=teacher, students=[], name="7b")
    theirs = make_classroom(teacher=make_user(), students=[teacher], name="evening class")
    response = client.get(CLASSES)
    assert elements(response, "a", href=class_page(ours))
    assert not elements(response, "a", href=class_page(theirs))
    assert "Classes I attend evening class" in words_of(response)


def test_who_is_in_no_class_is_told_how_to_join_one(client):
    client.force_login(make_user())
    page = client.get(CLASSES)
    assert "You are in no class yet." in words_of(page)
    assert elements(page, "a", href=reverse("course:join"))
    assert not elements(page, "a", href=reverse("course:classroom-create"))


def test_a_class_lists_its_students_with_what_they_have_done(client, teacher):
    ada, bob = make_user("ada", first_name="Ada", last_name="Lovelace"), make_user("bob")
    classroom = make_classroom(teacher=teacher, students=[bob, ada])
    for gap_id, text in [("animal", "cat"), ("colour", "blue"), ("own-words", "")]:
        save_answer(user=ada, lesson=get_lesson("tiny"), gap_id=gap_id, text=text)
    for _ in range(3):
        make_finished_run(ada)
    rows = [row.words for row in elements(client.get(class_page(classroom)), "tr")]
    assert rows == ["Student Cells filled in Runs", "Ada Lovelace 2 3", "bob 0 0"]


def test_a_class_without_students_says_so(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    assert "No student is in this class yet." in words_of(client.get(class_page(classroom)))


def test_another_teachers_class_is_not_found(client, teacher):
    student = make_user()
    theirs = make_classroom(teacher=make_user(), students=[student])
    assert client.get(class_page(theirs)).status_code == 404
    assert client.get(work_page(theirs, student)).status_code == 404


def test_a_student_finds_neither_the_class_nor_their_own_review(client):
    student = make_user()
    classroom = make_classroom(teacher=make_user(), students=[student])
    client.force_login(student)
    assert client.get(class_page(classroom)).status_code == 404
    assert client.get(work_page(classroom, student)).status_code == 404


def test_a_class_is_no_way_to_a_student_of_another_class(client, teacher):
    ours = make_classroom(teacher=teacher, students=[make_user()])
    theirs = make_user()
    make_classroom(teacher=make_user(), students=[theirs])
    assert client.get(work_page(ours, theirs)).status_code == 404
    assert client.get(work_page(ours, teacher)).status_code == 404


def test_a_visitor_logs_in_first(client):
    classroom = make_classroom(teacher=make_user(), students=[make_user("ada")])
    for path in (CLASSES, class_page(classroom), f"{class_page(classroom)}students/ada/"):
        assert client.get(path)["Location"] == f"/accounts/login/?next={path}"


def test_a_teacher_sees_every_answer_as_it_was_typed(client, teacher):
    student = make_user()
    classroom = make_classroom(teacher=teacher, students=[student])
    typed = "<script>alert(1)</script>\n  second line"
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="animal", text=typed)
    response = client.get(work_page(classroom, student))
    answers = [cell.text for cell in elements(response, "td", class_="answer")]
    assert answers[:3] == ["blank", typed, "blank"]
    assert "Answer: A cell with a key" in words_of(response)


def test_a_teacher_sees_every_run_with_when_how_long_exit_code_and_output(client, teacher):
    student = make_user()
    classroom = make_classroom(teacher=teacher, students=[student])
    make_finished_run(student, b"it went wrong\n", origin="tiny#fails", exit_code=3, duration_s=2.5)
    page = words_of(client.get(work_page(classroom, student)))
    assert "docker exec agent echo hi" in page
    assert "Finished, exit code 3 2.50 s" in page
    assert "it went wrong" in page


def test_a_teacher_reaches_every_run_however_many_there_are(client, teacher):
    student = make_user("ada")
    classroom = make_classroom(teacher=teacher, students=[student])
    runs = [make_finished_run(student, origin="tiny#hello") for _ in range(RUNS_SHOWN + 3)]
    response = client.get(work_page(classroom, student))
    whole = [run for run in runs if elements(response, id=f"run-{run.pk}")]
    linked = [run for run in runs if elements(response, "a", href=page_of(run))]
    assert (whole, linked) == (runs[3:], runs[:3])
    assert client.get(page_of(runs[0])).status_code == 200


def test_a_student_in_two_classes_is_seen_by_both_teachers(client, teacher):
    student = make_user()
    make_classroom(teacher=make_user(), students=[student])
    ours = make_classroom(teacher=teacher, students=[student], name="8c")
    assert client.get(work_page(ours, student)).status_code == 200


def test_who_leaves_a_class_is_no_longer_shown_in_it(client, teacher):
    student = make_user()
    classroom = make_classroom(teacher=teacher, students=[student])
    classroom.memberships.filter(user=student).delete()
    assert client.get(work_page(classroom, student)).status_code == 404


def test_who_no_longer_teaches_a_class_no_longer_sees_it(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    add_member(classroom=classroom, user=teacher, role=Membership.Role.STUDENT)
    assert client.get(class_page(classroom)).status_code == 404


def test_a_class_of_thirty_takes_as_many_queries_as_one_of_two(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[make_user(), make_user()])
    few = queries_of(client, class_page(classroom))
    for _ in range(28):
        student = make_user()
        make_finished_run(student)
        add_member(classroom=classroom, user=student, role=Membership.Role.STUDENT)
    assert queries_of(client, class_page(classroom)) == few <= QUERIES_OF_A_CLASS


def test_the_work_of_a_busy_student_takes_as_many_queries_as_that_of_a_lazy_one(client, teacher):
    student = make_user()
    classroom = make_classroom(teacher=teacher, students=[student])
    make_finished_run(student, origin="tiny#hello")
    client.get(work_page(classroom, student))  # the day's first view is noted
    few = queries_of(client, work_page(classroom, student))
    for _ in range(40):
        make_finished_run(student, origin="tiny#hello")
    assert queries_of(client, work_page(classroom, student)) == few


def queries_of(client, path):
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)
