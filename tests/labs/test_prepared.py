"""Prepared statements say the same as the querysets that they stand for."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from labs.models import Lab, OutputChunk, Run
from labs.prepared import Select, count_rows, insert_row, update_rows
from tests.factories import make_run, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.core]

run_with_lab = Select(lambda: Run.objects.select_related("lab__host"), "labs_run.id = %s")
names_of_lab = Select(lambda: Run.objects.only("origin"), "lab_id = %s AND queued_at <= %s")


def test_a_prepared_select_gives_the_row_that_its_queryset_gives() -> None:
    run = make_run(make_user())
    found = run_with_lab.first(run.pk)
    known = Run.objects.select_related("lab__host").get(pk=run.pk)
    assert found is not None
    assert vars(found) == vars(known) | {"_state": found._state}
    assert (found._state.adding, found._state.db) == (False, "default")


def test_what_is_joined_comes_without_a_query(django_assert_num_queries: object) -> None:
    run = make_run(make_user())
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = run_with_lab.first(run.pk)
        assert found is not None
        assert found.lab == run.lab
        assert found.lab.host is None


def test_a_prepared_select_finds_none_or_all_that_its_condition_asks_for() -> None:
    run, other = make_run(make_user()), make_run(make_user())
    assert run_with_lab.first(uuid.uuid4()) is None
    assert names_of_lab.all(run.lab_id, timezone.now()) == [run]
    assert names_of_lab.all(other.lab_id, timezone.now() - timedelta(hours=1)) == []


def test_rows_are_counted_by_their_condition() -> None:
    run = make_run(make_user())
    make_run(make_user())
    assert count_rows(Run, "owner_id = %s AND queued_at <= %s", [run.owner_id, timezone.now()]) == 1
    assert count_rows(Run, "id = %s", [uuid.uuid4()]) == 0


def test_a_queryset_with_a_condition_of_its_own_is_refused() -> None:
    choosy = Select(lambda: Run.objects.filter(state="queued"), "id = %s")
    with pytest.raises(ValueError, match="no condition"):
        choosy.first(uuid.uuid4())


def test_an_update_changes_only_the_rows_of_its_condition_and_counts_them() -> None:
    run, other = make_run(make_user()), make_run(make_user())
    now = timezone.now()
    values = {"waiting_for": 'a lab; it\'s "full"', "lease_until_at": now, "exit_code": None}
    assert update_rows(Run, values, "id = %s AND state = %s", [run.pk, run.state]) == 1
    assert update_rows(Run, values, "id = %s AND state = %s", [run.pk, "lost"]) == 0
    run.refresh_from_db()
    other.refresh_from_db()
    assert (run.waiting_for, run.lease_until_at) == (values["waiting_for"], now)
    assert other.waiting_for == ""


def test_a_row_is_inserted_whole_and_once() -> None:
    run = make_run(make_user())
    chunk = OutputChunk(run=run, offset=0, stream="stdout", at_s=0.5, data=b"\x00\xff")
    assert insert_row(chunk)
    assert not insert_row(chunk, unless_known=True)
    (stored,) = run.chunks.all()
    assert (bytes(stored.data), stored.stream, stored.at_s) == (b"\x00\xff", "stdout", 0.5)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_row(chunk)


def test_a_row_with_every_kind_of_column_reads_back_as_it_was() -> None:
    lab = Lab.objects.create(owner=make_user())
    run = Run(
        owner=lab.owner,
        key=uuid.uuid4(),
        lab=lab,
        origin="tiny#hello",
        command="docker exec agent echo ✓",
        argv=["echo", "✓"],
        env={"A": "1"},
        workdir="/",
        state_deadline_at=timezone.now(),
    )
    assert insert_row(run)
    stored = Run.objects.get(pk=run.pk)
    for field in Run._meta.local_concrete_fields:
        assert getattr(stored, field.attname) == getattr(run, field.attname), field.attname


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL keeps plans")
def test_a_statement_that_comes_again_and_again_is_planned_once() -> None:
    run = make_run(make_user())
    for _ in range(5):
        assert run_with_lab.first(run.pk) == run
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT statement FROM pg_prepared_statements WHERE statement LIKE %s",
            ["%labs_run.id = $1"],
        )
        assert len(cursor.fetchall()) == 1
