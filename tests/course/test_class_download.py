"""A whole class as one file: what is in it, what no name or text in it can do, and its progress."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from django.urls import reverse

from course.answers import save_answer
from course.assignments import release_marks
from course.downloads import begin_download, send
from course.library import get_lesson
from course.models import ClassDownload, HandIn
from course.remarks import ask_remark
from labs.audit import views_of
from labs.lifecycle import lab_of
from labs.models import AuditEntry
from labs.refusal import Refused
from labs.zips import Packed
from tests.factories import (
    make_assignment,
    make_checkpoint,
    make_classroom,
    make_finished_run,
    make_handin,
    make_terminal,
    make_user,
)
from tests.markup import words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def teacher():
    return make_user("frizzle")


@pytest.fixture
def ada():
    return make_user("ada", last_name="=1+1")


@pytest.fixture
def classroom(teacher, ada):
    return make_classroom(teacher=teacher, students=[ada, make_user("bob")], name="7b/../x")


@pytest.fixture
def address(client, teacher, classroom):
    client.force_login(teacher)
    return reverse("course:class-download", args=[classroom.pk])


def unzip(response):
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert archive.testzip() is None
    return {name: archive.read(name) for name in archive.namelist()}


def table(data):
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))


def test_everything_that_a_student_did_is_in_it(client, address, ada, classroom):
    make_finished_run(ada, b"\x1b[31mhi\x1b[0m\n", origin="tiny#hello")
    make_checkpoint(lab_of(ada), {"job.js": "run()"})
    make_terminal(ada, "$ ls\r\n", state="closed")
    assignment = make_assignment(classroom, records_files=False)
    handin = make_handin(ada, assignment, {"animal": "cow"})
    release_marks(assignment, released=True)
    ask_remark(handin=HandIn.objects.get(pk=handin.pk), step="gap:animal", wish="Is it not?")
    files = unzip(client.post(address))
    run, terminal = ada.runs.get(), ada.terminals.get()
    assert json.loads(files["students/ada/questions.json"])[0]["wish"] == "Is it not?"
    assert json.loads(files["students/ada/answers.json"])[0]["text"] == "cow"
    assert json.loads(files["students/ada/runs.json"])[0]["origin"] == "tiny#hello"
    assert files[f"students/ada/outputs/{run.pk}.txt"] == b"hi\n"
    assert files["students/ada/files/job.js"] == b"run()"
    assert b"$ ls" in files[f"students/ada/terminals/{terminal.pk}.cast"]
    assert json.loads(files[f"students/ada/hand-ins/{handin.pk}.json"])["student"] == ada.pk
    assert table(files[f"marks/{assignment.pk}-tiny.csv"])[1][1] == "ada"
    assert json.loads(files["students/bob/answers.json"]) == []


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_text_of_a_student_acts_as_a_formula(client, address, ada, text):
    save_answer(user=ada, lesson=get_lesson("tiny"), gap_id="animal", text=text)
    files = unzip(client.post(address))
    assert table(files["students.csv"])[1][2] == "'=1+1"
    assert table(files["students/ada/answers.csv"])[1][2].strip().startswith("'")


def test_no_name_leads_out_of_the_folder_it_is_unpacked_in(client, address, classroom):
    make_checkpoint(lab_of(classroom.students()[0]), {"../../etc/passwd": "x", "a\\b:c": "y"})
    response = client.post(address)
    assert 'filename="7bx-' in response["Content-Disposition"]
    names = unzip(response)
    assert [name for name in names if ".." in name or "\\" in name or name[0] == "/"] == []
    assert "students/ada/files/a_b_c" in names


def test_how_far_it_is_can_be_read_while_it_is_sent(client, address):
    response = client.post(address)
    next(iter(response.streaming_content))
    assert "0 of 2 students" in words_of(client.get(address))
    list(response.streaming_content)
    download = ClassDownload.objects.get()
    assert (download.state, download.students_done) == ("sent", 2)
    assert "sent whole" in words_of(client.get(address))


def test_one_that_was_broken_off_says_so(client, address, classroom, teacher):
    download = begin_download(classroom=classroom, teacher=teacher)
    pieces = send(download, [Packed("a", [b"a"]), Packed("b", [b"b"])])
    next(pieces)
    pieces.close()
    assert ClassDownload.objects.get().state == "broken"
    assert "The file on your computer is not whole" in words_of(client.get(address))


def test_there_is_one_download_at_a_time(client, address, classroom, teacher):
    begin_download(classroom=classroom, teacher=teacher)
    with pytest.raises(Refused, match="still going on"):
        begin_download(classroom=classroom, teacher=teacher)
    assert "still going on" in words_of(client.post(address, follow=True))


def test_who_took_it_is_written_down_and_students_see_that_their_work_was_read(
    client, address, ada
):
    unzip(client.post(address))
    entry = AuditEntry.objects.get(action="download class")
    assert (entry.actor_name, entry.detail) == ("frizzle", {"students": 2})
    assert [view.actor_name for view in views_of(ada)] == ["frizzle"]
