"""What an assignment's dates and rules come to, and how they are changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from course.assignments import (
    change_assignment,
    dates_for,
    dates_of,
    give_extension,
    lateness_of,
)
from course.classrooms import archive_classroom, end_membership
from course.models import Assignment, HandIn
from labs.models import AuditEntry
from tests.factories import make_assignment, make_classroom, make_handin, make_user
from tests.markup import elements, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.core]

DAY = timedelta(days=1)


@pytest.fixture
def teacher(client):
    teacher = make_user("ms-frizzle")
    client.force_login(teacher)
    return teacher


@pytest.fixture
def student():
    return make_user("ada")


@pytest.fixture
def assignment(teacher, student):
    return make_assignment(make_classroom(teacher=teacher, students=[student]))


def test_whoever_has_more_time_never_has_less_than_a_class_that_gets_more(
    student, teacher, assignment
):
    give_extension(
        assignment=assignment,
        student=student,
        due_at=assignment.due_at + DAY,
        reason="Was ill",
        teacher=teacher,
    )
    later = assignment.due_at + 7 * DAY
    change_assignment(assignment=assignment, fields={"due_at": later})
    assert dates_for(assignment, student).due_at == later


def clock(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def test_due_2359_is_over_when_the_clock_shows_midnight(client, teacher):
    classroom = make_classroom(teacher=teacher, students=[])
    due = datetime(2027, 3, 8, 23, 59, tzinfo=UTC)
    sent = {"due_at": clock(due), "closes_at": clock(due), "opens_at": clock(due - DAY)}
    more = {"late": "nothing", "points.gap:animal": "1"}
    address = reverse("course:assignment-create", args=[classroom.pk])
    client.post(f"{address}?lesson=tiny", sent | more)
    made = Assignment.objects.get()
    dates = dates_of(made, None)
    last, midnight = due + timedelta(seconds=59), due + timedelta(minutes=1)
    assert not lateness_of(made, dates, last).is_late
    assert lateness_of(made, dates, midnight).is_late
    assert [dates.is_closed(at) for at in (last, midnight)] == [False, True]


def press_hand_in(student, assignment, attempt):
    browser = Client()
    browser.force_login(student)
    address = reverse("course:hand-in", args=[assignment.pk])
    return words_of(browser.post(address, {"attempt": attempt}, follow=True))


def test_an_old_page_says_that_it_handed_in_nothing_new(student, assignment):
    made = make_handin(student, assignment, {"animal": "Quokka"})
    said = "this press handed in nothing new"
    assert said not in press_hand_in(student, assignment, made.attempt)
    an_hour_ago = made.handed_in_at - timedelta(hours=1)
    HandIn.objects.filter(pk=made.pk).update(handed_in_at=an_hour_ago)
    assert said in press_hand_in(student, assignment, made.attempt)
    assert HandIn.objects.count() == 1


def archive(classroom, teacher, student):
    archive_classroom(classroom, actor=teacher)


def leave(classroom, teacher, student):
    end_membership(classroom, actor=student, user=student)


def links_of(page):
    return {link.attrs["href"] for link in elements(page, "a") if "href" in link.attrs}


@pytest.mark.parametrize("end", [archive, leave])
def test_what_was_handed_in_is_found_when_the_class_is_over_or_left(
    end, teacher, student, assignment
):
    handin = make_handin(student, assignment, {"animal": "Quokka"})
    end(assignment.classroom, teacher, student)
    browser = Client()
    browser.force_login(student)
    receipt = reverse("course:handin-detail", args=[handin.pk])
    assert receipt in links_of(browser.get(reverse("course:todo")))
    onward = {link for link in links_of(browser.get(receipt)) if link.startswith("/assignments/")}
    assert {browser.get(link).status_code for link in onward} <= {200}


def test_whoever_withdraws_reads_which_attempt_counts_again(student, assignment):
    for answer in ("Quokka", "Wombat"):
        newest = make_handin(student, assignment, {"animal": answer})
    browser = Client()
    browser.force_login(student)
    address = reverse("course:handin-withdraw", args=[newest.pk])
    assert "attempt 1 counts again" in words_of(browser.post(address, follow=True))


def test_of_two_who_change_an_assignment_at_once_the_second_is_told(client, assignment):
    address = reverse("course:assignment-edit", args=[assignment.pk])
    (seen,) = [e.attrs["value"] for e in elements(client.get(address), "input", name="seen")]
    due = assignment.due_at
    sent = {
        "seen": seen,
        "opens_at": clock(assignment.opens_at),
        "due_at": clock(due),
        "late": "full",
        **{f"points.{step}": str(points) for step, points in assignment.points.items()},
    }
    client.post(address, sent | {"closes_at": clock(due + DAY), "attempts": "3"})
    page = client.post(address, sent | {"due_at": clock(due + 2 * DAY), "attempts": "0"})
    assignment.refresh_from_db()
    assert (assignment.attempts, clock(assignment.due_at)) == (3, clock(due))
    assert "Meanwhile somebody else changed this." in words_of(page)
    assert "Saved meanwhile: 3" in words_of(page)
    assert f"Saved meanwhile: {clock(due + DAY).replace('T', ' ')}" in words_of(page)
    again = {e.attrs["name"]: e.attrs.get("value", "") for e in elements(page, "input")}
    assert again["due_at"] == clock(due + 2 * DAY)
    client.post(address, sent | {"seen": again["seen"], "due_at": again["due_at"]})
    assignment.refresh_from_db()
    assert clock(assignment.due_at) == clock(due + 2 * DAY)
    assert assignment.closes_at is None


def test_the_log_says_which_dates_and_rules_were_changed(teacher, assignment):
    before, later = assignment.due_at, assignment.due_at + DAY
    fields = {"due_at": later, "attempts": assignment.attempts}
    change_assignment(assignment=assignment, fields=fields, actor=teacher)
    change_assignment(assignment=assignment, fields=fields, actor=teacher)
    entry = AuditEntry.objects.get(action="change assignment")
    assert entry.before == {"due_at": before.isoformat()}
    assert entry.after == {"due_at": later.isoformat()}
