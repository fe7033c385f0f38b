"""A person's own data: who looked, all of it as a file, all of it gone; and classes kept no longer
than their teachers said."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from datetime import timedelta

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from course.accounts import NewAccount, make_accounts
from course.answers import save_answer
from course.assignments import release_marks
from course.classrooms import add_member, archive_classroom, end_membership
from course.library import get_lesson
from course.marks import give_mark
from course.models import Answer, Classroom, Membership, User
from course.own_data import AS_FILES, LEFT_OUT, TABLES
from course.privacy import erase_person
from course.remarks import answer_remark, ask_remark
from course.retention import delete_overdue_classes
from course.throttle import EXPORTS, WRONG_PASSPHRASES
from labs.engines import get_engine
from labs.lifecycle import lab_of, this_host
from labs.models import AuditEntry, Checkpoint, Run
from labs.reconcile import sweep_host
from labs.refusal import Refused
from tests.factories import (
    make_admin,
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
    make_user,
)
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

PRIVACY, EXPORT, DELETE = (
    reverse(f"course:{name}") for name in ("privacy", "data-export", "data-delete")
)
PASSPHRASE = "a good passphrase"


@pytest.fixture
def teacher():
    return make_user("ms-frizzle")


@pytest.fixture
def student(client):
    student = make_user("ada", first_name="Ada")
    client.force_login(student)
    return student


@pytest.fixture
def classroom(teacher, student):
    return make_classroom(teacher=teacher, students=[student])


def look_at_work(client, teacher, classroom, student):
    client.force_login(teacher)
    return client.get(reverse("course:student-work", args=[classroom.pk, student.username]))


def give(handin, step, hundredths, marker):
    mark = handin.marks.get(step=step)
    return give_mark(
        mark=mark,
        maximum=400,
        version=mark.version,
        hundredths=hundredths,
        comment="",
        marker=marker,
    )


def do_work(student):
    """An answer, a run and files of the lab."""
    save_answer(user=student, lesson=get_lesson("tiny"), gap_id="animal", text="a ‮cat")
    run = make_finished_run(student, b"caf\xc3\xa9\n", origin="tiny#hello")
    make_checkpoint(run.lab, {"batch.js": "console.log(1)"})
    return run


def exported(client):
    response = client.get(EXPORT)
    return zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))


def read_json(archive, name):
    return json.loads(archive.read(f"{name}.json"))


def rows_about(user):
    """Every row that names the person, the sealed log and the account itself left out."""
    keys = [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.concrete and field.related_model is User and model is not AuditEntry
    ]
    return [row for model, name in keys for row in model._default_manager.filter(**{name: user.pk})]


def test_a_student_sees_who_looked_at_their_work_once_a_day(client, teacher, classroom, student):
    run = do_work(student)
    for _ in range(2):
        look_at_work(client, teacher, classroom, student)
        client.get(reverse("labs:run-detail", args=[run.pk]))
    client.force_login(student)
    rows = [row.words for row in elements(client.get(PRIVACY), "tr")]
    assert rows == ["Day Who", f"{timezone.localdate():%-d %b %Y} ms-frizzle"]


def test_another_day_is_another_line(client, teacher, classroom, student):
    look_at_work(client, teacher, classroom, student)
    yesterday = timezone.now() - timedelta(days=1)
    (entry,) = AuditEntry.objects.filter(action="look at work")
    AuditEntry.objects.create(
        at=yesterday, actor=teacher, action=entry.action, subject=entry.subject
    )
    client.force_login(student)
    assert len(elements(client.get(PRIVACY), "tr")) == 3


def test_looking_at_ones_own_run_is_not_noted(client, student):
    run = do_work(student)
    client.get(reverse("labs:run-detail", args=[run.pk]))
    assert "Nobody has looked at your work so far." in words_of(client.get(PRIVACY))


def test_a_student_takes_everything_along_as_one_file(client, teacher, classroom, student):
    run = do_work(student)
    look_at_work(client, teacher, classroom, student)
    client.force_login(student)
    archive = exported(client)
    assert archive.testzip() is None
    read = {name: archive.read(name) for name in archive.namelist()}
    assert json.loads(read["account.json"])["username"] == "ada"
    assert json.loads(read["classes.json"])[0]["classroom_name"] == "7b"
    assert json.loads(read["answers.json"])[0]["text"] == "a ‮cat"
    assert json.loads(read["runs.json"])[0]["command"] == "docker exec agent echo hi"
    assert json.loads(read["who-looked.json"])[0]["actor_name"] == "ms-frizzle"
    assert read[f"outputs/{run.pk}.txt"].decode() == "café\n"
    with tarfile.open(fileobj=io.BytesIO(read["files.tar.gz"])) as files:
        assert files.getnames() == ["batch.js"]


def test_the_file_holds_nobody_elses_rows(client, student):
    do_work(make_user("bob"))
    archive = exported(client)
    assert json.loads(archive.read("answers.json")) == []
    assert json.loads(archive.read("runs.json")) == []
    assert not [name for name in archive.namelist() if name.startswith(("outputs/", "files"))]


def test_what_was_handed_in_comes_along_as_the_bytes_that_its_hash_is_of(
    client, classroom, student
):
    do_work(student)
    handin = make_handin(
        student, make_assignment(classroom, records_files=False), {"colour": "red"}
    )
    archive = exported(client)
    (row,) = read_json(archive, "hand-ins")
    data = archive.read(f"hand-ins/{handin.pk}.json")
    assert hashlib.sha256(data).hexdigest() == row["sha256"] == handin.sha256
    assert json.loads(data)["answers"]["colour"]["text"] == "red"


def test_marks_come_along_once_they_are_shown_and_what_was_given_before_does_not(
    client, teacher, classroom, student
):
    assignment = make_assignment(classroom, records_files=False)
    handin = make_handin(student, assignment, {"own-words": "a copy"})
    give(handin, "gap:own-words", 100, teacher)
    assert read_json(exported(client), "marks") == []
    release_marks(assignment, released=True)
    give(handin, "gap:own-words", 300, teacher)
    archive = exported(client)
    marks = {row["step"]: row for row in read_json(archive, "marks")}
    assert marks["gap:own-words"]["hundredths"] == 300
    assert [row["hundredths"] for row in read_json(archive, "marks-since-shown")] == [300]


def test_questions_about_marks_come_along_with_their_answers(client, teacher, classroom, student):
    assignment = make_assignment(classroom, records_files=False)
    handin = make_handin(student, assignment, {"animal": "Quokka"})
    release_marks(assignment, released=True)
    handin.refresh_from_db()
    remark = ask_remark(handin=handin, step="gap:animal", wish="It is one.")
    answer_remark(remark=remark, answer="You are right.", teacher=teacher)
    (row,) = read_json(exported(client), "questions-about-marks")
    assert (row["wish"], row["answer"], row["answered_by_username"]) == (
        "It is one.",
        "You are right.",
        "ms-frizzle",
    )


def test_every_time_that_files_were_saved_comes_along_each_content_once(client, student):
    lab = lab_of(student)
    for text in ("first", "second", "first"):
        make_checkpoint(lab, {"note": text})
    archive = exported(client)
    saved = read_json(archive, "saved-files")
    names = [f"saved-files/{row['blob']}.tar.gz" for row in saved]
    assert sorted(set(names)) == sorted(n for n in archive.namelist() if n in names)
    read = []
    for name in names:
        with tarfile.open(fileobj=io.BytesIO(archive.read(name))) as files:
            read.append(files.extractfile("note").read().decode())
    assert read == ["first", "second", "first"]
    assert archive.read("files.tar.gz") == archive.read(names[2])


def test_what_terminals_showed_comes_along(client, student):
    session = make_terminal(student, "$ echo hi\r\nhi\r\n")
    archive = exported(client)
    assert read_json(archive, "terminals")[0]["id"] == str(session.pk)
    assert "echo hi" in archive.read(f"terminals/{session.pk}.cast").decode()


def test_a_teacher_takes_along_what_they_set_and_marked(client, teacher, classroom, student):
    handin = make_handin(student, make_assignment(classroom, records_files=False), {"animal": "x"})
    give(handin, "gap:animal", 100, teacher)
    client.force_login(teacher)
    archive = exported(client)
    assert read_json(archive, "assignments-set")[0]["classroom_name"] == "7b"
    assert read_json(archive, "marks-given")[0]["step"] == "gap:animal"


NOT_OF_PEOPLE = {
    *("auth.Group", "auth.Permission", "contenttypes.ContentType"),
    # nothing is written there: wrong passphrases are counted in course.LogInTries
    *("axes.AccessAttempt", "axes.AccessAttemptExpiration", "axes.AccessFailureLog"),
    "axes.AccessLog",
    *("course.Classroom", "course.LessonVersion", "course.Rehearsal"),
    *("labs.Host", "labs.Image", "labs.LimitRule", "labs.ServerError"),
}


def test_no_model_of_the_site_is_forgotten():
    """Whoever adds one says where it is in the file, why it is not, or that it is nobody's."""
    covered = {table.model for table in TABLES} | AS_FILES.keys()
    assert not covered & LEFT_OUT.keys()
    models = {model._meta.label for model in apps.get_models()}
    assert models == covered | LEFT_OUT.keys() | (NOT_OF_PEOPLE & models)


def test_no_model_that_names_a_person_counts_as_nobodys():
    named = {
        model._meta.label
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.concrete and field.related_model is User
    }
    assert not named & NOT_OF_PEOPLE


def test_every_table_of_the_file_is_read(client, student):
    archive = exported(client)
    names = {f"{table.file}.json" for table in TABLES}
    assert len(names) == len(TABLES)
    assert names <= set(archive.namelist())


def test_the_file_is_not_made_without_end(client, student):
    for _ in range(EXPORTS.per_user):
        exported(client)
    refused = client.get(EXPORT)
    assert refused.status_code == 429
    assert "Wait an hour" in words_of(refused)


def test_deleting_asks_for_the_passphrase(client, student):
    page = client.post(DELETE, {"passphrase": "wrong"})
    assert "This is not your passphrase, so nothing was deleted." in words_of(page)
    assert User.objects.filter(pk=student.pk).exists()


def test_the_passphrase_is_not_guessed_here_either(client, student):
    for number in range(WRONG_PASSPHRASES.per_user):
        client.post(DELETE, {"passphrase": f"wrong {number}"})
    page = client.post(DELETE, {"passphrase": PASSPHRASE})
    assert "Too many wrong passphrases." in words_of(page)
    assert User.objects.filter(pk=student.pk).exists()


def test_a_student_deletes_everything_and_is_logged_out(client, teacher, classroom, student):
    do_work(student)
    look_at_work(client, teacher, classroom, student)
    client.force_login(student)
    page = client.post(DELETE, {"passphrase": PASSPHRASE}, follow=True)
    assert "Your account and everything in it are deleted." in words_of(page)
    assert "Log in" in words_of(page)
    assert not User.objects.filter(pk=student.pk).exists()
    assert rows_about(student) == []
    assert [m.objects.count() for m in (Answer, Run, Checkpoint)] == [0, 0, 0]
    assert AuditEntry.objects.get(action="delete account").subject_name == ""


def test_what_others_did_is_kept(teacher, classroom, student):
    bob = make_user("bob")
    add_member(classroom=classroom, user=bob, role=Membership.Role.STUDENT)
    do_work(bob)
    erase_person(student, actor=student)
    assert Answer.objects.filter(user=bob).count() == 1
    assert Checkpoint.objects.filter(lab__owner=bob, blob__isnull=False).count() == 1


def test_the_only_teacher_of_a_class_and_an_admin_can_not_delete_themselves(
    teacher, classroom, student
):
    with pytest.raises(Refused, match="the only teacher of 7b"):
        erase_person(teacher, actor=teacher)
    admin = make_admin()
    with pytest.raises(Refused, match="Ask another admin"):
        erase_person(admin, actor=admin)


@pytest.mark.docker
def test_the_lab_of_a_deleted_student_is_taken_down_with_its_files(press):
    student = make_user("gone")
    run = press(student, "docker exec agent sh -c 'echo secret > kept.txt'")
    container_id = run.container_id
    assert container_id in [lab.container_id for lab in get_engine().list_labs()]
    erase_person(student, actor=student)
    sweep_host(this_host())
    assert container_id not in [lab.container_id for lab in get_engine().list_labs()]
    assert Checkpoint.objects.count() == 0


@pytest.fixture
def old_class(teacher):
    """Kept 30 days, archived just now, with an account that was made in it and one that wasn't."""
    classroom = make_classroom(teacher=teacher, students=[make_user("own")], name="6b")
    make_accounts(classroom, actor=teacher, accounts=[NewAccount("made"), NewAccount("moved")])
    Classroom.objects.filter(pk=classroom.pk).update(retention_days=30)
    return archive_classroom(Classroom.objects.get(pk=classroom.pk), actor=teacher)


def days_from_now(days):
    return timezone.now() + timedelta(days=days)


def test_a_class_is_deleted_when_its_time_is_over_and_not_before(old_class):
    assert delete_overdue_classes(days_from_now(29)) == 0
    assert Classroom.objects.filter(pk=old_class.pk).exists()
    assert delete_overdue_classes(days_from_now(31)) == 1
    assert not Classroom.objects.filter(pk=old_class.pk).exists()
    entry = AuditEntry.objects.get(action="delete class")
    assert (entry.actor_id, entry.subject_name, entry.detail["days"]) == (None, "6b", 30)


def test_accounts_made_for_the_class_go_with_it_and_others_stay(old_class, teacher):
    moved = User.objects.get(username="moved")
    make_classroom(teacher=teacher, students=[moved], name="7b")
    do_work(User.objects.get(username="own"))
    do_work(User.objects.get(username="made"))
    delete_overdue_classes(days_from_now(31))
    left = User.objects.exclude(username="ms-frizzle").order_by("username")
    assert [user.username for user in left] == ["moved", "own"]
    assert [answer.user.username for answer in Answer.objects.all()] == ["own"]


def test_who_left_the_other_class_is_in_no_other(old_class, teacher):
    moved = User.objects.get(username="moved")
    other = make_classroom(teacher=teacher, students=[moved], name="7b")
    end_membership(other, actor=teacher, user=moved)
    delete_overdue_classes(days_from_now(31))
    assert not User.objects.filter(username="moved").exists()


@pytest.mark.parametrize("change", [{"archived_at": None}, {"retention_days": None}])
def test_a_class_in_use_or_without_an_end_is_never_deleted(old_class, change):
    Classroom.objects.filter(pk=old_class.pk).update(**change)
    assert delete_overdue_classes(days_from_now(5000)) == 0


def test_the_day_is_said_to_the_teacher_and_to_the_students(client, old_class, teacher):
    day = f"{days_from_now(30):%-d %b %Y}"
    client.force_login(teacher)
    page = client.get(reverse("course:classroom-detail", args=[old_class.pk]))
    assert f"On {day} it is deleted for good" in words_of(page)
    client.force_login(User.objects.get(username="own"))
    assert f"6b (student) · deleted on {day}" in words_of(client.get(PRIVACY))
