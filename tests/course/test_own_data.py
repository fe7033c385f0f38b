"""A person takes along all that is theirs, as one file."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile

import pytest
from django.apps import apps
from django.urls import reverse

from course.assignments import release_marks
from course.marks import give_mark
from course.models import User
from course.own_data import AS_FILES, LEFT_OUT, TABLES
from course.remarks import answer_remark, ask_remark
from course.throttle import EXPORTS
from labs.lifecycle import lab_of
from tests.factories import (
    do_work,
    make_assignment,
    make_checkpoint,
    make_handin,
    make_terminal,
    make_user,
)
from tests.markup import words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

EXPORT = reverse("course:data-export")


@pytest.fixture
def student(client, student):
    """Logged in."""
    client.force_login(student)
    return student


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


def exported(client):
    response = client.get(EXPORT)
    return zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))


def read_json(archive, name):
    return json.loads(archive.read(f"{name}.json"))


def test_a_student_takes_everything_along_as_one_file(client, teacher, classroom, student):
    run = do_work(student)
    client.force_login(teacher)
    client.get(reverse("course:student-work", args=[classroom.pk, student.username]))
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
