"""The people of most tests of classes. A module that wants them logged in makes its own of them."""

from __future__ import annotations

import pytest

from course.models import Classroom, User
from tests.factories import make_classroom, make_user


@pytest.fixture
def teacher(db: None) -> User:
    return make_user("ms-frizzle")


@pytest.fixture
def student(db: None) -> User:
    return make_user("ada")


@pytest.fixture
def classroom(teacher: User, student: User) -> Classroom:
    return make_classroom(teacher=teacher, students=[student])


@pytest.fixture
def students(db: None) -> list[User]:
    return [make_user(name) for name in ("ada", "bob", "cleo")]
