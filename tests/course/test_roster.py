"""The roster file: read in any spelling, shown as a plan, applied exactly as it was shown."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from course.accounts import NewAccount, make_accounts
from course.classrooms import add_member, end_membership
from course.models import Membership, RosterPlan, User
from course.roster import apply_roster, export_roster, preview_roster, shown_plan
from course.roster_file import MAX_BYTES, Unreadable, read_roster, safe_cell, write_roster
from course.roster_plan import Kind
from course.usernames import username_from
from labs.models import AuditEntry
from labs.refusal import Refused
from tests.factories import make_classroom, make_user
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

HEADING = "external_id,username,first_name,last_name\n"
ADA = "1,ada,Ada,Lovelace\n"
BOB = "2,,Bob,Noyce\n"


@pytest.fixture
def classroom(teacher):
    return make_classroom(teacher=teacher, students=[])


@pytest.fixture
def upload(classroom, teacher):
    """Plans a file for the class; with `leave`, those who are not in it are to leave."""

    def plan(text, leave=False):
        data = text.encode()
        return preview_roster(classroom, actor=teacher, data=data, remove_missing=leave)

    return plan


def told(row):
    """The plan in short: kind and username of each entry."""
    return [(entry.kind.value, entry.username) for entry in shown_plan(row).entries]


def problems(row):
    return [(problem.line, problem.text) for problem in shown_plan(row).problems]


def of_class(classroom):
    members = classroom.memberships.current().students().select_related("user")
    return {m.external_id: (m.user.username, m.user.get_full_name()) for m in members}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_with_any_separator_and_mark(separator, encoding):
    text = f"ID{separator}First Name{separator}Surname\r\n7{separator}Zoë{separator}Łuk\r\n"
    file = read_roster(text.encode(encoding))
    (line,) = file.lines
    assert (line.number, line.external_id, line.first_name, line.last_name) == (
        2,
        "7",
        "Zoë",
        "Łuk",
    )
    assert file.notices == ()


def test_an_old_windows_file_is_read_with_a_notice():
    file = read_roster("username;last_name\nanna;Müller\n".encode("cp1252"))
    assert file.lines[0].last_name == "Müller"
    assert "read as Windows-1252" in file.notices[0]


def test_cells_may_hold_separators_quotes_and_line_breaks():
    file = read_roster(b'username,first_name\nada,"Ada, ""the"" \n first"\n\n,\nbob,Bob\n')
    assert [(line.username, line.number) for line in file.lines] == [("ada", 3), ("bob", 6)]
    assert file.lines[0].first_name == 'Ada, "the" \n first'


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"username\n", "no students"),
        (b"name,class\nAda,7b\n", "must name the columns"),
        (b"PK\x03\x04\x00\x00", "not a CSV file"),
        (b"username\n\x81\x8d\n", "not text that we can read"),
        (b"username\n" + b"x" * MAX_BYTES, "larger than 256 KiB"),
        (b"username\n" + b"\n".join(b"u%d" % n for n in range(1001)), "more than 1,000"),
    ],
)
def test_what_is_no_roster_is_refused_in_words(data, words):
    with pytest.raises(Unreadable, match=words):
        read_roster(data)


@pytest.mark.parametrize("cut", [";", "\t", "\n", "\r\n", "\n ", "; ", " ", ""])
@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1"])
def test_a_formula_is_stopped_wherever_a_spreadsheet_begins_a_cell(cut, formula):
    written = safe_cell(f"ada{cut}{formula}" if cut.strip(" ") else f"{cut}{formula}")
    cells = re.split(r"[;\t\r\n]", written)
    assert not any(cell.strip().startswith(tuple("=+-@＝")) for cell in cells)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20))
def test_no_cell_that_is_written_acts_as_a_formula_and_it_is_read_back(text):
    cell = text.strip()
    assert not safe_cell(cell).startswith(("=", "+", "-", "@"))
    written = write_roster([("ada", "1", cell, "")])
    read_back = list(csv.reader(io.StringIO(written)))[1][2]
    assert read_back == safe_cell(cell)
    assert read_roster(written.encode()).lines[0].first_name == cell


@pytest.mark.parametrize(
    ("names", "username"),
    [
        (("Ada", "Lovelace"), "ada.lovelace"),
        (("Zoë", "Großmann"), "zoe.grossmann"),
        (("Łucja", "Ø"), "lucja.o"),
        (("Jean Luc", "d'Arc"), "jean-luc.d-arc"),
        (("Олена", ""), "олена"),
        (("!!!", "…"), "student"),
    ],
)
def test_usernames_are_made_of_names(names, username):
    assert username_from(*names, taken=()) == username


def test_a_taken_username_gets_a_number():
    assert username_from("Ada", "", taken={"ada", "ada2"}) == "ada3"


def test_the_plan_shows_what_will_change_and_changes_nothing(upload, classroom, teacher):
    apply_roster(upload(HEADING + ADA + BOB + "3,eve,Eve,Old\n"), actor=teacher)
    before = of_class(classroom)
    row = upload(HEADING + ADA + "3,eve,Eve,New\n" + "4,max,Max,Neu\n", leave=True)
    assert told(row) == [
        ("same", "ada"),
        ("change", "eve"),
        ("add", "max"),
        ("remove", "bob.noyce"),
    ]
    (changed,) = shown_plan(row).of(Kind.CHANGE)
    assert changed.changes == {"last_name": ("Old", "New")}
    assert of_class(classroom) == before
    assert not User.objects.filter(username="max").exists()


def test_applying_does_exactly_what_was_shown_and_gives_a_card_for_each_new_account(
    upload, classroom, teacher
):
    cards = apply_roster(upload(HEADING + ADA + BOB), actor=teacher)
    assert of_class(classroom) == {
        "1": ("ada", "Ada Lovelace"),
        "2": ("bob.noyce", "Bob Noyce"),
    }
    assert [card.username for card in cards] == ["ada", "bob.noyce"]
    for card in cards:
        assert User.objects.get(username=card.username).check_password(card.passphrase)
    assert AuditEntry.objects.get(action="apply roster").after["add"] == 2


def test_who_is_not_in_the_file_stays_unless_the_teacher_says_otherwise(upload, classroom, teacher):
    apply_roster(upload(HEADING + ADA + BOB), actor=teacher)
    assert told(upload(HEADING + ADA)) == [("same", "ada"), ("stay", "bob.noyce")]
    apply_roster(upload(HEADING + ADA, leave=True), actor=teacher)
    assert list(of_class(classroom)) == ["1"]
    assert User.objects.get(username="bob.noyce").is_active


def test_who_was_removed_returns_with_the_same_account(upload, classroom, teacher):
    apply_roster(upload(HEADING + ADA + BOB), actor=teacher)
    apply_roster(upload(HEADING + ADA, leave=True), actor=teacher)
    row = upload(HEADING + BOB)
    assert told(row)[0] == ("return", "bob.noyce")
    assert apply_roster(row, actor=teacher) == []
    assert of_class(classroom)["2"] == ("bob.noyce", "Bob Noyce")


def test_a_plan_is_refused_when_the_class_has_changed_since(upload, classroom, teacher):
    row = upload(HEADING + ADA)
    add_member(classroom=classroom, user=make_user("late"), role=Membership.Role.STUDENT)
    with pytest.raises(Refused, match="has changed since this plan was shown"):
        apply_roster(row, actor=teacher)
    assert not User.objects.filter(username="ada").exists()


def test_a_plan_is_refused_when_a_username_was_taken_since(upload, classroom, teacher):
    row = upload(HEADING + ADA + BOB)
    make_user("ada")
    with pytest.raises(Refused, match="has changed since"):
        apply_roster(row, actor=teacher)
    assert of_class(classroom) == {}


def test_a_plan_is_applied_once(upload, classroom, teacher):
    row = upload(HEADING + ADA)
    again = RosterPlan.objects.get(pk=row.pk)
    apply_roster(row, actor=teacher)
    with pytest.raises(Refused):
        apply_roster(again, actor=teacher)
    assert User.objects.filter(username__startswith="ada").count() == 1


def test_a_line_that_means_two_students_is_a_mistake(upload, classroom, teacher):
    apply_roster(upload(HEADING + ADA + ",bob,Bob,Noyce\n"), actor=teacher)
    row = upload("username,external_id\nbob,1\nada,2\n")
    assert problems(row) == [(2, "The id “1” is ada's, and this line says “bob”.")]


def test_a_file_with_mistakes_says_each_with_its_line_and_is_not_applied(upload, teacher):
    make_user("eve")
    text = HEADING + ADA + "1,other,A,B\n" + "5,,,\n" + "6,eve,Eve,X\n" + "7,a b,A,B\n" + "8\n"
    row = upload(text + "9,ms-frizzle,V,F\n" + f"10,{'x' * 151},,\n")
    said = problems(row)
    assert [line for line, _ in said] == [3, 4, 5, 6, 7, 7, 8, 9]
    assert said[0] == (3, "“1” stands on line 2 already.")
    assert "no account can be made" in said[1][1]
    assert "An account “eve” exists that no teacher of this class made." in said[2][1]
    assert "A username begins with a letter or a digit." in said[3][1]
    assert "“ms-frizzle” teaches this class." in said[6][1]
    assert "longer than 150" in said[7][1]
    with pytest.raises(Refused):
        apply_roster(row, actor=teacher)


def test_nobody_elses_account_is_drawn_into_a_class_nor_renamed(upload, classroom, teacher):
    make_user("foreign", first_name="My", last_name="Own")
    assert problems(upload("username\nforeign\n"))
    joined = make_user("joined", first_name="My", last_name="Own")
    add_member(classroom=classroom, user=joined, role=Membership.Role.STUDENT)
    row = upload("username,external_id,first_name\njoined,9,Changed\n")
    assert told(row) == [("change", "joined")]
    assert "their own names stay" in shown_plan(row).entries[0].note
    apply_roster(row, actor=teacher)
    joined.refresh_from_db()
    assert joined.first_name == "My"
    end_membership(classroom, actor=joined, user=joined)
    assert (
        "left the class with an account of their own"
        in problems(upload("username\njoined\n"))[0][1]
    )


def test_an_account_of_the_same_teachers_other_class_is_taken_along(upload, classroom, teacher):
    last_year = make_classroom(teacher=teacher, students=[], name="6b")
    make_accounts(last_year, actor=teacher, accounts=[NewAccount("ada", "Ada", "L")])
    row = upload("username\nada\n")
    assert told(row) == [("enrol", "ada")]
    apply_roster(row, actor=teacher)
    assert [user.username for user in classroom.students()] == ["ada"]


def test_an_account_of_another_teachers_class_is_not(upload):
    stranger = make_user()
    theirs = make_classroom(teacher=stranger, students=[], name="8c")
    make_accounts(theirs, actor=stranger, accounts=[NewAccount("ada")])
    assert problems(upload("username\nada\n"))


def test_capital_letters_make_no_second_account(upload):
    make_user("Eve")
    assert problems(upload("username\neve\n"))


def test_the_export_is_read_back_as_no_change(upload, classroom, teacher):
    apply_roster(upload(HEADING + ADA + BOB + "=1,c,-Carl,@home\n"), actor=teacher)
    text = export_roster(classroom)
    assert "'=1" in text
    row = upload(text, leave=True)
    assert {kind for kind, _ in told(row)} == {"same"}
    assert not shown_plan(row).can_be_applied


def test_a_teacher_uploads_looks_and_applies(client, classroom, teacher):
    client.force_login(teacher)
    address = reverse("course:roster", args=[classroom.pk])
    file = SimpleUploadedFile("7b.csv", (HEADING + ADA).encode())
    plan = client.post(address, {"file": file}, follow=True)
    assert "New accounts 1" in words_of(plan)
    assert "2 Ada Lovelace ada 1" in words_of(plan)
    (path, _status) = plan.redirect_chain[-1]
    cards = client.post(path)
    assert "These passphrases are shown this once" in words_of(cards)
    assert len(elements(cards, "li", class_="login-card")) == 1
    assert "no-store" in cards["Cache-Control"]
    assert client.post(path).status_code == 404


def test_a_damaged_file_is_refused_on_the_page(client, classroom, teacher):
    client.force_login(teacher)
    address = reverse("course:roster", args=[classroom.pk])
    said = client.post(address, {"file": SimpleUploadedFile("x.csv", b"\0")}, follow=True)
    assert "not a CSV file" in words_of(said)
    assert "No file was chosen" in words_of(client.post(address, follow=True))


def test_the_downloaded_roster_opens_in_a_spreadsheet_as_utf_8(client, classroom, teacher):
    client.force_login(teacher)
    response = client.get(reverse("course:roster-export", args=[classroom.pk]))
    assert response.content.startswith(b"\xef\xbb\xbfusername,external_id")
    assert "attachment" in response["Content-Disposition"]


def test_a_long_roster_takes_as_many_queries_as_a_short_one(
    upload, classroom, teacher, django_assert_max_num_queries
):
    lines = "".join(f"{n},,Max{n},Neu\n" for n in range(100))
    with django_assert_max_num_queries(12):
        row = upload(HEADING + lines)
    assert len(shown_plan(row).of(Kind.ADD)) == 100
