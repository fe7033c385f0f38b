"""The class board: where everybody stands, what has changed, and what a wall may show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from course.answers import save_answer
from course.block_outcomes import JUDGED_AT_ONCE
from course.help import ask_help
from course.library import get_lesson
from course.models import BlockOutcome
from course.standing import DIFFERS, PASSED, RAN, is_stuck, standing_of, trying
from labs.models import Run
from tests.factories import (
    make_assignment,
    make_classroom,
    make_finished_run,
    make_run,
    make_user,
)
from tests.markup import element, elements

pytestmark = pytest.mark.core
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
HELLO = "docker exec agent echo hello from the lab"
FAILS = 'docker exec agent sh -c "echo it went wrong >&2; exit 1"'
HTMX = {"HTTP_HX_REQUEST": "true"}


def touch(place, state, minutes):
    return (NOW - timedelta(minutes=minutes)).isoformat(), place, state


@pytest.mark.parametrize(
    ("touches", "place"),
    [
        ([], None),
        ([touch(0, DIFFERS, 8)], 0),
        ([touch(0, DIFFERS, 7)], None),
        ([touch(0, PASSED, 9), touch(1, DIFFERS, 1)], 1),
        ([touch(0, PASSED, 2), touch(1, DIFFERS, 1)], None),
        ([touch(0, DIFFERS, 20), touch(1, PASSED, 10)], None),
        ([touch(0, DIFFERS, 20), touch(1, RAN, 10), touch(2, DIFFERS, 2)], 2),
        ([touch(0, DIFFERS, 46)], None),
    ],
    ids=[
        "nothing touched",
        "one try eight minutes ago",
        "one try seven minutes ago",
        "tries since something came right nine minutes ago",
        "something came right two minutes ago",
        "the last thing came right",
        "an open answer counts as getting on",
        "gone for a lesson",
    ],
)
def test_stuck_is_who_tries_for_eight_minutes_and_does_not_get_on(touches, place):
    tried = trying(touches)
    assert (tried.place if is_stuck(tried, NOW) else None) == place


@pytest.fixture
def teacher(db):
    return make_user("frizzle")


@pytest.fixture
def ada(db):
    return make_user("ada", first_name="Ada", last_name="<b>Lace</b>")


@pytest.fixture
def assignment(teacher, ada):
    return make_assignment(make_classroom(teacher=teacher, students=[ada, make_user("bob")]))


@pytest.fixture
def board(client, teacher, assignment):
    client.force_login(teacher)
    address = reverse("course:board", args=[assignment.pk])
    return lambda **sent: client.get(address, sent)


@pytest.fixture
def changes(client, teacher, assignment):
    client.force_login(teacher)
    address = reverse("course:board", args=[assignment.pk])
    return lambda page, **sent: client.get(address, {"seen": seen(page)} | sent, **HTMX)


def seen(page):
    return element(page, id="board-seen").attrs["value"]


def cells(page, place=1):
    row = page.content.decode().partition(f'id="board-row-{place}">')[2].partition("</tr>")[0]
    return [cell.words for cell in elements(row, "td")]


def write(student, gap, text):
    return save_answer(user=student, lesson=get_lesson("tiny"), gap_id=gap, text=text)


def test_every_cell_says_in_a_sign_and_in_words_how_it_stands(board, ada):
    write(ada, "own-words", "The heron waits.")
    write(ada, "animal", "quokka")
    write(ada, "colour", "blue")
    make_finished_run(ada, b"hello from the lab\n", origin="tiny#hello", command=HELLO)
    make_run(ada, origin="tiny#slow")
    make_finished_run(ada, origin="tiny#fails", command=FAILS)
    assert cells(board()) == [
        "○ written or run; somebody has to look",
        "✓ passed",
        "≠ differs from what is asked for",
        "✓ passed",
        "· untouched",
        "▸ running now",
        "≠ differs from what is asked for",
        "2 / 7",
    ]


def test_names_are_escaped_and_lead_to_the_students_work(board, assignment):
    link = element(board(), id="board-who-1")
    assert link.words == "Ada <b>Lace</b>"
    assert link.attrs["href"] == reverse("course:review", args=[assignment.pk, "ada"])


def test_who_asks_for_help_is_named_where_it_is_read_aloud_and_marked_at_the_step(board, ada):
    make_finished_run(ada, b"no\n", origin="tiny#hello", command=HELLO)
    ask_help(student=ada)
    page = board()
    assert element(page, id="board-said").words == "1 asks for help: Ada <b>Lace</b>"
    assert element(page, id="board-said").attrs["role"] == "status"
    assert cells(page)[3] == "? asked for help here"


def test_who_is_stuck_is_marked_where_they_are(board, ada):
    write(ada, "animal", "cow")
    ada.answers.update(saved_at=timezone.now() - timedelta(minutes=9))
    page = board()
    assert cells(page)[1] == "! stuck for 8 minutes"
    assert element(page, id="board-said").words == "1 is stuck: Ada <b>Lace</b>"


def test_only_rows_that_changed_are_sent_again(board, changes, ada):
    page = board()
    assert changes(page).status_code == 204
    write(ada, "animal", "quokka")
    fresh = changes(page)
    rows = [row.attrs["id"] for row in elements(fresh, "tr")]
    assert rows == ["board-row-1", "board-totals"]
    assert seen(fresh) == seen(board())


def test_a_page_from_before_somebody_joined_is_asked_for_anew(board, changes, assignment):
    page = board()
    make_class_larger(assignment)
    assert changes(page)["HX-Refresh"] == "true"


def make_class_larger(assignment):
    assignment.classroom.memberships.create(user=make_user("cyd"), role="student")


def test_a_board_on_a_wall_has_no_name_and_nothing_that_leads_to_one(board, ada):
    write(ada, "animal", "cow")
    ask_help(student=ada)
    page = board(names="hidden")
    assert "Ada" not in page.content.decode()
    assert "/ada/" not in page.content.decode()
    assert element(page, id="board-said").words == "1 asks for help"


def test_a_newer_run_takes_the_place_of_an_older_one(board, ada):
    make_finished_run(ada, b"no\n", origin="tiny#hello", command=HELLO)
    assert cells(board())[3].startswith("≠")
    make_finished_run(ada, b"hello from the lab\n", origin="tiny#hello", command=HELLO)
    assert cells(board())[3].startswith("✓")
    assert BlockOutcome.objects.get(block="hello").state == "passed"


def test_what_is_remembered_of_a_student_is_what_is_worked_out_anew(board, ada):
    hello = get_lesson("tiny").blocks["hello"].command
    deeds = (
        lambda: write(ada, "animal", "cow"),
        lambda: write(ada, "animal", "quokka"),
        lambda: write(ada, "animal", ""),
        lambda: write(ada, "own-words", 'It says "[]", \u2713 and \\.'),
        lambda: make_finished_run(ada, b"no\n", origin="tiny#hello", command=hello),
        lambda: make_finished_run(ada, b"hello from the lab\n", origin="tiny#hello", command=hello),
        lambda: make_run(ada, origin="tiny#slow"),
        lambda: ada.runs.filter(origin="tiny#slow").update(state="finished", exit_code=0),
        lambda: ada.runs.filter(origin="tiny#hello").latest("queued_at").delete(),
        lambda: ada.answers.all().delete(),
    )
    seen = [(deed(), cells(board()), anew(board))[1:] for deed in deeds]
    assert [remembered for remembered, _ in seen] == [fresh for _, fresh in seen]
    assert len({tuple(fresh) for _, fresh in seen}) >= 6


def anew(board):
    standing_of.cache_clear()
    return cells(board())


def test_a_lost_run_and_a_changed_command_are_nobodys_fault(board, ada):
    make_finished_run(ada, origin="tiny#hello", command=HELLO, state=Run.State.LOST)
    make_finished_run(ada, origin="tiny#fails", command="docker exec agent echo old")
    assert [cell[0] for cell in cells(board())[3:7]] == ["○", "·", "·", "○"]


def test_thousands_of_old_runs_are_judged_bit_by_bit(board, assignment, ada):
    students = [make_user(f"s{n}") for n in range(JUDGED_AT_ONCE)]
    for student in students:
        assignment.classroom.memberships.create(user=student, role="student")
    for student in [ada, *students]:
        make_finished_run(student, b"hello from the lab\n", origin="tiny#hello", command=HELLO)
    board()
    assert BlockOutcome.objects.count() == JUDGED_AT_ONCE
    board()
    assert BlockOutcome.objects.count() == JUDGED_AT_ONCE + 1


def test_the_board_costs_as_many_queries_for_thirty_as_for_two(board, assignment, ada):
    work_a_little(ada)
    few = queries_of(board)
    for number in range(28):
        student = make_user(f"s{number}")
        assignment.classroom.memberships.create(user=student, role="student")
        work_a_little(student)
    assert queries_of(board) == few


def work_a_little(student):
    write(student, "animal", f"an animal of {student.username}")
    make_finished_run(student, b"hello from the lab\n", origin="tiny#hello", command=HELLO)
    ask_help(student=student)


def queries_of(board):
    board()
    with CaptureQueriesContext(connection) as queries:
        board()
    return len(queries)
