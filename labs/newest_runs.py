"""The newest run of each block, found by a step into the index for each. Reads only."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.db.models.expressions import RawSQL

from labs.models import Run, RunQuerySet
from labs.prepared import Select


def newest_of_origins(owner: Any, origins: Sequence[str]) -> Mapping[str, uuid.UUID]:
    """Origin → id of the owner's newest run of it. One query, as fast however much was run."""
    if not origins:
        return {}
    runs = _newest(len(origins)).all(owner.pk, *origins)
    return {run.origin: run.pk for run in runs}


@cache
def _newest(count: int) -> Select[Run]:
    marks = ", ".join(["(%s)"] * count)
    condition = f"""id IN (
        SELECT (
            SELECT run.id FROM labs_run AS run
            WHERE run.owner_id = %s AND run.origin = wanted.column1
            ORDER BY run.queued_at DESC, run.id DESC LIMIT 1
        ) FROM (VALUES {marks}) AS wanted
    )"""  # noqa: S608 - only placeholders are put in
    return Select(lambda: Run.objects.only("origin"), condition)


def newest_of_owners(owners: Sequence[int], origins: Sequence[str]) -> RunQuerySet:
    """The newest run of each of the origins of each owner: a step into the index for each pair.

    Of two in the same microsecond it is either: to sort by id too takes longer than all the rest.
    """
    if not owners or not origins:
        return Run.objects.none()
    sql = f"""
        SELECT (
            SELECT run.id FROM labs_run AS run
            WHERE run.owner_id = owner.column1 AND run.origin = origin.column1
            ORDER BY run.queued_at DESC LIMIT 1
        ) FROM (VALUES {_marks(owners)}) AS owner CROSS JOIN (VALUES {_marks(origins)}) AS origin
    """  # noqa: S608 - only placeholders are put in
    return Run.objects.filter(pk__in=RawSQL(sql, [*owners, *origins]))  # noqa: S611 - as above


def _marks(values: Sequence[object]) -> str:
    return ", ".join(["(%s)"] * len(values))
