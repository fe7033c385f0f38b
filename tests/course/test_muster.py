"""A class's labs, warmed and checked before a lesson."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from labs.engines import get_engine
from labs.lifecycle import lab_of
from labs.models import AuditEntry, Lab, Muster
from tests.engine_fixtures import wait_until
from tests.factories import make_checkpoint, make_classroom, make_user
from tests.markup import element, elements, words_of

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def teacher(client):
    teacher = make_user("ms_t")
    client.force_login(teacher)
    return teacher


def make_class(teacher, *usernames):
    return make_classroom(teacher=teacher, students=[make_user(name) for name in usernames])


def page_of(classroom):
    return reverse("course:muster-detail", args=[classroom.pk])


def begin(client, classroom):
    return client.post(reverse("course:muster-begin", args=[classroom.pk]), follow=True)


def repair(client, classroom, username):
    address = reverse("course:muster-repair", args=[classroom.pk, username])
    return client.post(address, follow=True)


def await_all_checked():
    unfinished = Muster.objects.filter(state__in=Muster.UNFINISHED)
    wait_until(lambda: not unfinished.exists())


@pytest.mark.docker
@pytest.mark.django_db(transaction=True)
def test_a_press_warms_and_checks_every_lab_and_a_repair_gives_a_new_one(client, teacher, worker):
    classroom = make_class(teacher, "ada", "bob")
    begin(client, classroom)
    await_all_checked()
    page = words_of(client.get(page_of(classroom)))
    assert "2 of 2 labs checked: 2 well, 0 to repair." in page
    assert "Node v" in page
    assert Lab.objects.filter(state="ready").count() == 2
    first = Lab.objects.get(owner__username="ada")
    repair(client, classroom, "ada")
    await_all_checked()
    again = Lab.objects.get(pk=first.pk)
    assert (again.generation, again.muster.state) == (2, Muster.State.GOOD)


@pytest.mark.docker
@pytest.mark.django_db(transaction=True)
def test_a_lab_in_which_no_file_fits_is_red_and_says_why(client, teacher, worker):
    classroom = make_class(teacher, "ada")
    make_checkpoint(lab_of(classroom.students().get()), {"big": "x" * 60 * 2**20})
    begin(client, classroom)
    await_all_checked()
    page = client.get(page_of(classroom))
    assert "0 well, 1 to repair" in words_of(page)
    assert "nearly full" in words_of(page)
    get_engine().remove_lab(Lab.objects.get().container_id)


def test_each_student_is_there_checked_or_not(client, teacher):
    classroom = make_class(teacher, "ada", "bob")
    lab = lab_of(classroom.students().get(username="bob"))
    Muster.objects.create(lab=lab, state=Muster.State.BAD, problem="Its disk is nearly full.")
    rows = [row.words for row in elements(client.get(page_of(classroom)), "tr")][1:]
    assert rows == [
        "bob not started needs repair Its disk is nearly full. Repair the lab of bob",
        "ada not started not checked yet",
    ]


def test_the_table_asks_again_only_while_something_is_under_way(client, teacher):
    classroom = make_class(teacher, "ada")
    address = page_of(classroom)
    assert "hx-get" not in element(client.get(address, **HTMX), id="muster").attrs
    begin(client, classroom)
    assert element(client.get(address, **HTMX), id="muster").attrs["hx-get"] == address


def test_a_second_press_asks_for_nothing_twice_and_both_are_written_down(client, teacher):
    classroom = make_class(teacher, "ada", "bob")
    assert "2 labs are being started" in words_of(begin(client, classroom))
    assert "0 labs are being started" in words_of(begin(client, classroom))
    assert Muster.objects.count() == 2
    assert AuditEntry.objects.filter(action="warm lab", actor=teacher).count() == 2


def test_somebody_of_another_class_has_no_lab_to_repair_here(client, teacher):
    classroom = make_class(teacher, "ada")
    make_user("eve")
    assert repair(client, classroom, "eve").status_code == 404
    assert not Muster.objects.exists()


def test_a_class_without_students_says_so(client, teacher):
    page = words_of(client.get(page_of(make_class(teacher))))
    assert "No student is in this class yet." in page


def test_thirty_students_take_as_many_queries_as_two(client, teacher):
    few = queries_of(client, make_class(teacher, "a1", "a2"))
    many = make_class(teacher, *(f"b{number}" for number in range(30)))
    begin(client, many)
    assert queries_of(client, many) <= few + 1


def queries_of(client, classroom):
    with CaptureQueriesContext(connection) as queries:
        client.get(page_of(classroom))
    return len(queries)
