"""The newest run of each block."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from labs.newest_runs import newest_of_origins
from tests.factories import make_finished_run, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.core]


def test_of_each_origin_it_is_the_run_that_was_asked_for_last(django_assert_num_queries):
    owner = make_user()
    now = timezone.now()
    runs = {
        (origin, hours): make_finished_run(
            owner, origin=origin, queued_at=now - timedelta(hours=hours)
        )
        for origin in ("tiny#hello", "tiny#fails")
        for hours in (2, 1, 3)
    }
    with django_assert_num_queries(1):
        newest = newest_of_origins(owner, ["tiny#hello", "tiny#fails", "tiny#slow"])
    assert newest == {
        "tiny#hello": runs["tiny#hello", 1].pk,
        "tiny#fails": runs["tiny#fails", 1].pk,
    }


def test_nobody_gets_the_run_of_another_or_of_another_lesson():
    owner = make_user()
    make_finished_run(make_user(), origin="tiny#hello")
    make_finished_run(owner, origin="tiny-two#hello")
    assert newest_of_origins(owner, ["tiny#hello"]) == {}


def test_no_origins_need_no_query(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert newest_of_origins(None, []) == {}
