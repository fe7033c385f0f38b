"""What is said while the database's disk is full. Browser tests fill one."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.http import HttpResponse

from course.full_disk import SayDiskIsFull, is_disk_full
from tests.markup import words_of


@pytest.mark.parametrize(
    ("error", "is_full"),
    [
        (OperationalError("database or disk is full"), True),
        (OperationalError('could not extend file "base/1": No space left on device'), True),
        (OperationalError("database is locked"), False),
        (OSError("No space left on device"), False),
    ],
)
def test_a_full_disk_is_known_by_what_the_database_says(error: Exception, is_full: bool) -> None:
    assert is_disk_full(error) is is_full


def test_the_page_says_what_was_kept_and_who_can_help(rf) -> None:
    middleware = SayDiskIsFull(lambda request: HttpResponse())
    page = middleware.process_exception(rf.post("/"), OperationalError("disk is full"))
    assert page is not None
    assert page.status_code == 507
    assert "nothing was done" in words_of(page)
    assert "everything that ran are kept" in words_of(page)
    assert "Tell your teacher" in words_of(page)


def test_any_other_error_is_left_to_others(rf) -> None:
    middleware = SayDiskIsFull(lambda request: HttpResponse())
    assert middleware.process_exception(rf.post("/"), ValueError("disk is full")) is None
