"""Columns as numbers and texts, for pages that read thousands: making a time or a UUID of each
takes longer than the query."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import CharField, FloatField, Func, QuerySet
from django.db.models.functions import Cast


class Seconds(Func):
    """A time as seconds since 1970, to a ten-thousandth."""

    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "((julianday(%(expressions)s) - 2440587.5) * 86400.0)"
        return super().as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "(EXTRACT(EPOCH FROM %(expressions)s)::float8)"
        return super().as_sql(compiler, connection, template=template, **context)


def as_text(name: str) -> Cast:
    """A UUID as the database itself writes it: to be compared, or looked up."""
    return Cast(name, CharField())


def plain_rows(rows: QuerySet[Any], *columns: Any) -> list[tuple[Any, ...]]:
    """These columns as the database itself gives them: numbers and texts only, and no times."""
    try:
        sql, params = rows.values_list(*columns).query.sql_with_params()
    except EmptyResultSet:
        return []
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
