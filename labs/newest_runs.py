"""The newest run of each block, found by a step into the index for each. Reads only."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from labs.models import Run
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


def newest_run(columns: str, *, owner: str, origin: str, until: str) -> str:
    """SQL that selects these columns of the newest run of one origin by one owner up to a time.

    All four are SQL. Of two runs in the same microsecond it is either: to sort by id too takes
    longer than all the rest.
    """
    return f"""
        SELECT {columns} FROM labs_run AS run
        WHERE run.owner_id = {owner} AND run.origin = {origin}
            AND run.queued_at <= {until}
        ORDER BY run.queued_at DESC LIMIT 1
    """  # noqa: S608 - the caller's own words
