"""What teachers and students see of assignments, marks and gradebooks."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from course.assignments import release_marks
from course.marks import refresh_totals
from course.models import Assignment, Extension, HandIn, Mark, Membership, User
from labs.audit import views_of
from labs.models import AuditEntry
from tests.factories import (
    make_assignment,
    make_classroom,
    make_finished_run,
    make_handin,
    make_user,
)
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

OPEN = "gap:own-words"


@pytest.fixture
def teacher(client):
    teacher = make_user("ms-frizzle")
    client.force_login(teacher)
    return teacher


@pytest.fixture
def assignment(teacher, students):
    return make_assignment(make_classroom(teacher=teacher, students=students))


def page(name, thing, *rest):
    return reverse(f"course:{name}", args=[thing.pk, *rest])


def as_user(user):
    client = Client()
    client.force_login(user)
    return client


def open_mark(handin):
    return Mark.objects.get(handin=handin, step=OPEN)


# Setting -----------------------------------------------------------------------------------------


def form_of(**fields):
    sent = {
        "opens_at": "2027-03-01T08:00",
        "due_at": "2027-03-08T23:59",
        "late": "per_day",
        "late_percent": "10",
        "points.gap:animal": "2",
    }
    return sent | fields


def test_times_are_typed_on_the_classs_clock(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    classroom.time_zone = "Europe/Berlin"
    classroom.save()
    address = page("assignment-create", classroom) + "?lesson=tiny"
    client.post(address, form_of(due_at="2027-04-01T23:59"))
    made = Assignment.objects.get()
    assert made.opens_at.isoformat() == "2027-03-01T07:00:00+00:00"
    assert made.due_at.isoformat() == "2027-04-01T21:59:59.999999+00:00"
    assert made.points == {"gap:animal": 2}
    assert "Thu 1 Apr 2027, 23:59" in words_of(client.get(page("assignment-detail", made)))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"due_at": "2027-02-01T00:00"}, "It must be due after it opens."),
        ({"closes_at": "2027-03-07T00:00"}, "It can't close before it is due."),
        ({"due_at": "soon"}, "Write day and time like"),
        ({"due_at": "2027-03-28T02:30"}, "The clocks are put forward over this time."),
        ({"late_percent": "0"}, "Say how many per cent are lost"),
        ({"points.gap:animal": "0"}, "Give points to at least one cell or command."),
    ],
)
def test_what_cant_be_set_is_said_beside_the_form(client, teacher, wrong, said):
    classroom = make_classroom(teacher=teacher, students=[])
    classroom.time_zone = "Europe/Berlin"
    classroom.save()
    response = client.post(page("assignment-create", classroom) + "?lesson=tiny", form_of(**wrong))
    assert said in words_of(response)
    assert not Assignment.objects.exists()


def test_points_stay_as_they_are_once_somebody_has_handed_in(client, students, assignment):
    make_handin(students[0], assignment, {})
    response = client.post(page("assignment-edit", assignment), form_of())
    assert "Somebody has handed this in already" in words_of(response)
    assert Assignment.objects.get(pk=assignment.pk).points == assignment.points


def test_an_assignment_with_hand_ins_is_never_deleted(client, students, assignment):
    make_handin(students[0], assignment, {})
    client.post(page("assignment-delete", assignment))
    assert Assignment.objects.filter(pk=assignment.pk).exists()


def test_an_extension_needs_a_reason_and_shows_it_to_the_student(client, students, assignment):
    late = (assignment.due_at + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    sent = {"student": "ada", "due_at": late, "reason": ""}
    client.post(page("extension-give", assignment), sent)
    assert not Extension.objects.exists()
    client.post(page("extension-give", assignment), sent | {"reason": "Was ill"})
    mine = words_of(as_user(students[0]).get(page("assignment-detail", assignment)))
    assert "More time for you Was ill" in mine
    others = words_of(as_user(students[1]).get(page("assignment-detail", assignment)))
    assert "Was ill" not in others


# For students ------------------------------------------------------------------------------------


def test_the_to_do_list_says_what_is_late_open_handed_in_and_to_come(client, students, teacher):
    now, day = timezone.now(), timedelta(days=1)
    classroom = make_classroom(teacher=teacher, students=students[:1])
    make_assignment(classroom, opens_at=now + day, due_at=now + 2 * day)
    make_assignment(classroom, due_at=now + day)
    make_assignment(classroom, due_at=now - day)
    done = make_assignment(classroom, due_at=now + day)
    make_handin(students[0], done, {})
    tags = [tag.words for tag in elements(as_user(students[0]).get("/todo/"), "span", class_="tag")]
    assert tags == ["late, still open", "to do", "not open yet", "handed in"]
    home = elements(as_user(students[0]).get("/"), "span", class_="tag")
    assert [tag.words for tag in home] == ["late, still open", "to do"]


def test_what_is_left_is_said_without_telling_what_is_right(students, assignment):
    make_finished_run(
        students[0],
        b"helo\n",
        origin="tiny#hello",
        command="docker exec agent echo hello from the lab",
    )
    make_handin(students[0], assignment, {"animal": "heron"})
    said = words_of(as_user(students[0]).get(page("assignment-detail", assignment)))
    assert "Answer: A cell with choices: empty" in said
    assert "Fail on purpose: not run" in said
    assert "Say hello: This does not hold: prints hello." in said
    assert "Answer: A cell with a key" not in said


def test_marks_are_seen_by_the_student_only_once_they_are_shown(client, students, assignment):
    handin = make_handin(students[0], assignment, {"animal": "Quokka"})
    student = as_user(students[0])
    assert "right: 1 / 1" not in words_of(student.get(page("handin-detail", handin)))
    assert "right: 1 / 1" in words_of(client.get(page("handin-detail", handin)))
    client.post(page("marks-release", assignment))
    assert "right: 1 / 1" in words_of(student.get(page("handin-detail", handin)))
    client.post(page("marks-release", assignment), {"released": "no"})
    assert "right: 1 / 1" not in words_of(student.get(page("handin-detail", handin)))


def test_what_students_wrote_is_text_on_every_page(client, students, assignment):
    typed = "<script>alert(1)</script>"
    students[0].first_name = "<b>Ada"
    students[0].save()
    handin = make_handin(students[0], assignment, {"own-words": typed})
    for address in (
        page("handin-detail", handin),
        page("marking", assignment),
        page("gradebook", assignment),
        page("class-gradebook", assignment.classroom),
    ):
        html = client.get(address).content.decode()
        assert typed not in html
        assert "<b>Ada" not in html


# Marking -----------------------------------------------------------------------------------------


def test_the_order_is_nobodys_and_the_same_for_everybody(client, students, assignment):
    handins = [make_handin(s, assignment, {"own-words": s.username}) for s in students]

    def walk(reader):
        found, address = [], page("marking", assignment) + "?show=all&step=" + OPEN
        while address:
            response = reader.get(address)
            found += [e.attrs["value"] for e in elements(response, "input", name="mark")][:1]
            link = [e.attrs["href"] for e in elements(response, "a", data_key="j")]
            address = page("marking", assignment) + link[0] if link else ""
        return found

    order = walk(client)
    assert sorted(order) == sorted(str(open_mark(handin).pk) for handin in handins)
    assert walk(as_user(make_user("boss", is_staff=True))) == order


def test_hidden_names_are_on_no_part_of_the_page(client, students, assignment):
    make_handin(students[0], assignment, {"own-words": "Mine"})
    response = client.get(page("marking", assignment) + "?names=hidden")
    assert "ada" not in words_of(response).split()
    assert all("names=hidden" in e.attrs["href"] for e in elements(response, "a", data_key="j"))


def test_a_mark_in_another_assignment_cant_be_given_from_here(client, students, assignment):
    stranger = make_user("stranger")
    other = make_assignment(make_classroom(teacher=stranger, students=students))
    mark = open_mark(make_handin(students[0], other, {"own-words": "Mine"}))
    sent = {"mark": mark.pk, "version": 1, "give": "full"}
    assert client.post(page("marking", assignment), sent).status_code == 404
    assert open_mark(mark.handin).version == 1


# Gradebook ---------------------------------------------------------------------------------------


@pytest.fixture
def marked(students, assignment):
    """Ada was in time, Bob a day late; Cleo handed nothing in."""
    assignment.late, assignment.late_percent = "per_day", 10
    assignment.save()
    ada = make_handin(students[0], assignment, {"animal": "Quokka"})
    bob = make_handin(students[1], assignment, {"animal": "Quokka", "colour": "green"})
    late = assignment.due_at + timedelta(hours=1)
    HandIn.objects.filter(pk=bob.pk).update(handed_in_at=late)
    return ada, bob


def cells_of(response):
    return [row.words.split() for row in elements(response, "tr")][1:]


def test_the_gradebook_has_raw_penalty_and_final(client, assignment, marked):
    rows = cells_of(client.get(page("gradebook", assignment)))
    assert [row[-3:] for row in rows] == [["1", "0", "1"], ["2", "0.2", "1.8"], ["–", "–", "–"]]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?show=missing", ["cleo"]),
        ("?show=late", ["bob"]),
        ("?show=handed_in&sort=-final", ["bob", "ada"]),
        ("?sort=final", ["cleo", "ada", "bob"]),
        ("?find=AD", ["ada"]),
        ("?page=99&show=nonsense", ["ada", "bob", "cleo"]),
    ],
)
def test_it_is_filtered_and_sorted(client, assignment, marked, query, names):
    rows = cells_of(client.get(page("gradebook", assignment) + query))
    assert [row[0] for row in rows] == names


def test_the_plot_says_the_same_in_words(client, assignment, marked):
    (plot,) = elements(client.get(page("gradebook", assignment)), "svg")
    assert plot.attrs["aria-label"] == "10–19 %: 1, 20–29 %: 1"


def test_a_gradebook_of_many_takes_as_many_queries_and_comes_in_pages(client, assignment, marked):
    few = queries_of(client, page("gradebook", assignment))
    people = User.objects.bulk_create(User(username=f"s{n:03}") for n in range(150))
    Membership.objects.bulk_create(
        Membership(classroom=assignment.classroom, user=user, role="student") for user in people
    )
    handins = HandIn.objects.bulk_create(
        HandIn(assignment=assignment, student=u, attempt=1, state="handed_in") for u in people
    )
    Mark.objects.bulk_create(
        Mark(handin=h, step="gap:animal", hundredths=100, verdict="right") for h in handins
    )
    refresh_totals([handin.pk for handin in handins])
    assert queries_of(client, page("gradebook", assignment)) == few <= 14
    assert len(cells_of(client.get(page("gradebook", assignment)))) == 100
    assert len(cells_of(client.get(page("gradebook", assignment) + "?page=2"))) == 53


def queries_of(client, path):
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


# Export ------------------------------------------------------------------------------------------


def test_csv_and_xlsx_hold_the_same_with_ids_that_stay(client, assignment, marked):
    text = client.get(page("marks-export", assignment, "csv")).content.decode("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["username"] for line in lines] == ["ada", "bob", "cleo"]
    assert [line["final"] for line in lines] == ["1.0", "1.8", ""]
    assert (lines[1]["days_late"], lines[1]["penalty"], lines[1]["gap:colour"]) == (
        "1",
        "0.2",
        "1.0",
    )
    assert lines[0]["student_id"] == str(marked[0].student_id)
    data = client.get(page("marks-export", assignment, "xlsx")).content
    sheet = list(load_workbook(io.BytesIO(data)).active.values)
    assert list(sheet[0]) == list(lines[0])
    assert sheet[2][sheet[0].index("final")] == 1.8


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_no_cell_of_a_file_is_a_formula(client, students, assignment, kind):
    students[0].first_name = '=HYPERLINK("http://x")'
    students[0].save()
    make_handin(students[0], assignment, {})
    data = client.get(page("marks-export", assignment, kind)).content
    rows = {
        "csv": lambda: list(csv.reader(io.StringIO(data.decode("utf-8-sig")))),
        "xlsx": lambda: [
            [cell.value for cell in row if cell.data_type != "f"]
            for row in load_workbook(io.BytesIO(data)).active.rows
        ],
    }[kind]()
    assert '\'=HYPERLINK("http://x")' in rows[1]


def test_the_class_has_one_file_of_all_its_assignments(client, assignment, marked):
    make_assignment(assignment.classroom)
    text = client.get(page("class-export", assignment.classroom, "csv")).content
    lines = list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"))))
    assert len(lines) == 6
    assert len({line["assignment_id"] for line in lines}) == 2


def test_a_released_mark_can_be_asked_about_and_is_answered(client, students, assignment):
    handin = make_handin(students[0], assignment, {"animal": "heron"})
    release_marks(assignment, released=True)
    student = as_user(students[0])
    student.post(page("remark-ask", handin), {"step": "gap:animal", "wish": "It was a heron."})
    assert "It was a heron." in words_of(client.get(page("remark-list", assignment)))
    remark = handin.remarks.get()
    client.post(page("remark-answer", remark), {"answer": "Look again at the picture."})
    assert "Look again at the picture." in words_of(student.get(page("handin-detail", handin)))


def test_students_can_see_that_their_answers_were_looked_at_while_marking(
    client, teacher, students, assignment
):
    handin = make_handin(students[0], assignment, {"own-words": "a reason"})
    client.get(page("marking", assignment), {"mark": open_mark(handin).pk})
    assert [entry.actor_name for entry in views_of(students[0])] == ["ms-frizzle"]
    assert not views_of(students[1]).exists()


def test_a_student_sees_that_their_hand_in_was_downloaded(client, students, assignment):
    handin = make_handin(students[0], assignment, {"own-words": "Mine"})
    assert not views_of(students[0]).exists()
    client.get(page("handin-manifest", handin))
    assert views_of(students[0]).count() == 1


def test_what_teachers_do_to_an_assignment_is_in_the_audit_log(client, assignment, students):
    client.post(page("marks-release", assignment), {"released": "yes"})
    client.post(page("marks-release", assignment), {"released": "yes"})
    client.post(page("marks-release", assignment), {"released": "no"})
    due = {"student": "ada", "due_at": "2099-03-01T08:00", "reason": "was ill"}
    client.post(page("extension-give", assignment), due)
    client.post(page("extension-take-back", assignment), {"username": "ada"})
    client.get(page("marks-export", assignment, "csv"))
    client.get(page("class-export", assignment.classroom, "csv"))
    client.post(page("assignment-delete", assignment))
    entries = AuditEntry.objects.filter(actor_name="ms-frizzle").order_by("pk")
    assert [entry.action for entry in entries] == [
        "release marks",
        "hide marks",
        "give extension",
        "take extension back",
        "export marks",
        "export marks",
        "delete assignment",
    ]
    assert not entries.filter(after__icontains="ill").exists()
