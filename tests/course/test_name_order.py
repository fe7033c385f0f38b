"""Names stand as people look for them."""

from __future__ import annotations

import pytest

from course.gradebook import students_of
from course.name_order import name_key
from tests.factories import make_classroom, make_user


@pytest.mark.parametrize(
    "names",
    [
        ["Anton", "Ärne", "Azra", "Zoë"],
        ["ada", "Bob", "cleo"],
        ["7b-2", "7b-10", "7b-100"],
        ["Étienne", "Eva", "Łukasz"],
        ["", "1", "²x", "a"],
    ],
)
def test_names_stand_as_people_look_for_them(names):
    assert sorted(set(names), key=name_key) == names


@pytest.mark.django_db
def test_a_class_is_listed_so():
    names = ["Zoë", "Ärne", "Azra", "Anton"]
    people = [make_user(f"s{n}", first_name=name) for n, name in enumerate(names)]
    classroom = make_classroom(teacher=make_user(), students=people)
    listed = [student.name for student in students_of(classroom)]
    assert listed == ["Anton", "Ärne", "Azra", "Zoë"]
