"""Everything of a class as files, for a zip: tables, JSON, outputs, recordings, workspaces.

Reads only. What it is laid out like stands in docs/teachers.md. One student at a time is in memory.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet
from django.utils import timezone

from course.assignments import steps_of_assignment
from course.gradebook import Student, rows_of, students_of
from course.manifests import canonical, unpack
from course.marks_export import export_assignment
from course.models import Answer, AnswerEntry, Classroom, HandIn, MarkEntry, Remark, User
from course.roster_file import safe_cell
from labs import audit
from labs.history import gzipped_of, newest_checkpoint
from labs.models import Blob, Checkpoint, Run, RunQuerySet, TerminalSession
from labs.recordings import cast_of
from labs.rendering import plain_output
from labs.zips import Packed, files_in

FORMAT = "agent-lab class 1"
ANSWER = ("lesson", "gap", "text", "lesson_version", "saved_at")
RUN = (
    *("id", "origin", "origin_version", "command", "state", "reason", "exit_code", "duration_s"),
    *("queued_at", "started_at", "ended_at", "bytes_total", "lines_total", "image"),
)
HANDIN = (
    *("id", "assignment_id", "attempt", "state", "handed_in_at", "withdrawn_at", "sha256"),
    *("earned", "waiting"),
)
ASKED = ("handin_id", "step", "wish", "asked_at", "answer", "answered_by__username", "answered_at")
GIVEN = (
    *("handin_id", "step", "version", "hundredths", "verdict", "reason", "comment", "cause"),
    *("lesson_version", "marked_by__username", "marked_at"),
)


def files_of_class(
    classroom: Classroom, viewer: User, student_done: Callable[[], None]
) -> Iterator[Packed]:
    """The class's own files, then each student's. Whoever's work is read can see it was."""
    students = students_of(classroom)
    yield from _of_class(classroom, students)
    for student in students:
        user = User.objects.get(pk=student.pk)
        audit.note_view(viewer=viewer, owner=user)
        yield from files_of_student(classroom, user)
        student_done()


def _of_class(classroom: Classroom, students: Sequence[Student]) -> Iterator[Packed]:
    facts = {"format": FORMAT, "id": classroom.pk, "name": classroom.name}
    yield _json("class.json", facts | {"time_zone": classroom.time_zone})
    columns = ("student_id", "username", "name", "external_id")
    people = [(str(s.pk), s.username, s.name, s.external_id) for s in students]
    yield _csv("students.csv", columns, people)
    for assignment in classroom.assignments.select_related("classroom").by_due():
        steps = steps_of_assignment(assignment)
        marks = export_assignment(assignment, steps, rows_of(assignment), "csv")
        yield Packed(f"marks/{assignment.pk}-{assignment.lesson}.csv", [marks])


def files_of_student(classroom: Classroom, user: User) -> Iterator[Packed]:
    """Of an archived class what was done up to its end."""
    folder = f"students/{_folder_of(user.username)}"
    until = classroom.archived_at or timezone.now()
    written = Answer.objects.filter(user=user, saved_at__lte=until)
    answers = list(written.order_by("lesson", "gap").values(*ANSWER))
    yield _csv(f"{folder}/answers.csv", ANSWER, [_texts(row.values()) for row in answers])
    yield _json(f"{folder}/answers.json", answers)
    earlier = AnswerEntry.objects.filter(user=user, saved_at__lte=until).order_by("saved_at")
    yield _rows(f"{folder}/earlier-answers.json", earlier, ANSWER)
    runs = Run.objects.filter(owner=user, queued_at__lte=until)
    yield _rows(f"{folder}/runs.json", runs.order_by("queued_at"), RUN)
    yield from _outputs(folder, runs)
    yield from _handins(folder, classroom, user)
    for session in TerminalSession.objects.of_owner(user).filter(opened_at__lte=until):
        pieces = (text.encode() for text in cast_of(session, classroom.archived_at))
        yield Packed(f"{folder}/terminals/{session.pk}.cast", pieces)
    yield from _files(f"{folder}/files/", newest_checkpoint(user, until))


def _folder_of(username: str) -> str:
    """One folder, whatever the name holds."""
    return username.replace("/", "_")


def _outputs(folder: str, runs: RunQuerySet) -> Iterator[Packed]:
    wordy = runs.filter(bytes_total__gt=0).without_command()
    for run in wordy.iterator(chunk_size=50):
        yield Packed(f"{folder}/outputs/{run.pk}.txt", [plain_output(run).encode()])


def _handins(folder: str, classroom: Classroom, user: User) -> Iterator[Packed]:
    """What was handed in in this class, each as the bytes that its hash is of, and its files."""
    mine = HandIn.objects.filter(student=user, assignment__classroom=classroom).order_by("pk")
    yield _rows(f"{folder}/hand-ins.json", mine, HANDIN)
    given = MarkEntry.objects.filter(handin__in=mine).order_by("handin", "step", "version")
    yield _rows(f"{folder}/marks.json", given, GIVEN)
    asked = Remark.objects.filter(handin__in=mine).order_by("asked_at")
    yield _rows(f"{folder}/questions.json", asked, ASKED)
    for handin in mine.select_related("manifest", "checkpoint"):
        place = f"{folder}/hand-ins/{handin.pk}"
        yield Packed(f"{place}.json", [canonical(unpack(bytes(handin.manifest.gzipped)))])
        yield from _files(f"{place}-files/", handin.checkpoint)


def _files(folder: str, checkpoint: Checkpoint | None) -> Iterator[Packed]:
    """Nothing for files that retention has removed, even while this goes on."""
    if checkpoint is None or checkpoint.blob_id is None:
        return
    try:
        gzipped = gzipped_of(checkpoint)
    except Blob.DoesNotExist:
        return
    yield from files_in(gzipped, folder)


def _rows(name: str, rows: QuerySet[Any], columns: Iterable[str]) -> Packed:
    return _json(name, list(rows.values(*columns)))


def _json(name: str, value: object) -> Packed:
    text = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
    return Packed(name, [text.encode("utf-8", "surrogatepass")])


def _csv(name: str, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> Packed:
    """Without a cell that a spreadsheet would take for a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([safe_cell(cell) for cell in line] for line in lines)
    return Packed(name, [("\ufeff" + text.getvalue()).encode("utf-8", "surrogatepass")])


def _texts(values: Iterable[object]) -> list[str]:
    return [str(value) for value in values]
