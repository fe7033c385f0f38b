"""All of a class's points on one page, in parts where the class is large."""

from __future__ import annotations

import pytest
from django.urls import reverse

from course.models import Membership, User
from tests.factories import make_assignment, make_classroom, make_handin, make_user
from tests.markup import elements

pytestmark = [pytest.mark.django_db, pytest.mark.core]


def rows_of(page):
    return [row.words.split() for row in elements(page, "tr")][1:]


def test_a_large_class_comes_in_pages_with_everybodys_points(client):
    teacher, ada = make_user("ms-frizzle"), make_user("ada")
    classroom = make_classroom(teacher=teacher, students=[ada])
    people = User.objects.bulk_create(User(username=f"s{n}") for n in range(149))
    Membership.objects.bulk_create(
        Membership(classroom=classroom, user=user, role="student") for user in people
    )
    make_handin(ada, make_assignment(classroom), {"animal": "Quokka"})
    client.force_login(teacher)
    address = reverse("course:class-gradebook", args=[classroom.pk])
    first, last = (client.get(f"{address}?page={page}") for page in ("1", "99"))
    assert (len(rows_of(first)), len(rows_of(last))) == (100, 50)
    assert rows_of(first)[0] == ["ada", "1", "1"]
    assert rows_of(last)[-1][0] == "s148"
