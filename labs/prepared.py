"""Statements whose SQL is composed once, for what every press of Run does.

Django composes a statement's text anew each time; for a run with its lab that is 1.2 of 1.4 ms.
Conditions are SQL with `%s`, columns by their names in the database.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import AutoField, Field, Model, QuerySet
from django.db.models.query import get_related_populators

M = TypeVar("M", bound=Model)
Fields = Sequence["Field[Any, Any]"]


class Select(Generic[M]):
    """Rows of a queryset that has no condition of its own, as instances, with what it joins."""

    def __init__(self, queryset: Callable[[], QuerySet[M]], condition: str) -> None:
        """`queryset` is called at the first use, when the models are all there."""
        self._queryset = queryset
        self._condition = condition

    def first(self, *params: Any) -> M | None:
        with _cursor() as cursor:
            cursor.execute(self._plan.sql, adapt(params))
            row = cursor.fetchone()
        return self._plan.instance(row) if row else None

    def all(self, *params: Any) -> list[M]:
        with _cursor() as cursor:
            cursor.execute(self._plan.sql, adapt(params))
            return [self._plan.instance(row) for row in cursor.fetchall()]

    @cached_property
    def _plan(self) -> _Plan[M]:
        return _Plan(self._queryset(), self._condition)


class _Plan(Generic[M]):
    """A queryset's SELECT, and how one of its rows becomes an instance."""

    def __init__(self, queryset: QuerySet[M], condition: str) -> None:
        compiler: Any = queryset.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        if params or " WHERE " in sql:
            raise ValueError("the queryset of a prepared SELECT may have no condition")
        self.sql = f"{sql} WHERE {condition}"
        selected = compiler.klass_info["select_fields"]
        self._slice = slice(selected[0], selected[-1] + 1)
        self._model: type[M] = compiler.klass_info["model"]
        self._names = [column[0].target.attname for column in compiler.select[self._slice]]
        self._joined = get_related_populators(compiler.klass_info, compiler.select, queryset.db)  # type: ignore[call-arg] # the stubs are of a later Django
        self._converters = compiler.get_converters([column[0] for column in compiler.select])

    def instance(self, row: Iterable[Any]) -> M:
        values = list(row)
        for place, (converters, expression) in self._converters.items():
            for convert in converters:
                values[place] = convert(values[place], expression, connection)
        instance = self._model.from_db(connection.alias, self._names, values[self._slice])
        for joined in self._joined:
            joined.populate(values, instance)
        return instance


def count_rows(model: type[Model], condition: str, params: Sequence[Any]) -> int:
    sql = f"SELECT COUNT(*) FROM {model._meta.db_table} WHERE {condition}"  # noqa: S608 - ours
    with _cursor() as cursor:
        cursor.execute(sql, adapt(params))
        return int(cursor.fetchone()[0])


def update_rows(
    model: type[Model], values: Mapping[str, object], condition: str, params: Sequence[Any]
) -> int:
    """Sets fields of the rows that the condition finds; how many there were."""
    sql, fields = _update_plan(model, tuple(values), condition)
    with _cursor() as cursor:
        cursor.execute(sql, [*_saved(fields, values.values()), *adapt(params)])
        return int(cursor.rowcount)


def insert_row(instance: Model, *, unless_known: bool = False) -> bool:
    """Adds the row; its own number is not read back. False where `unless_known` and it was there.

    Raises IntegrityError.
    """
    sql, fields = _insert_plan(type(instance), unless_known)
    values = [field.pre_save(instance, add=True) for field in fields]
    with _cursor() as cursor:
        cursor.execute(sql, _saved(fields, values))
        return bool(cursor.rowcount)


@contextmanager
def _cursor() -> Iterator[CursorWrapper]:
    """Django's. On PostgreSQL it sends values beside the statement instead of in it, so that each
    connection parses and plans the statement once: that is half of what it costs there."""
    with connection.cursor() as cursor:
        # Who looks at the log of statements is to read them with their values.
        if connection.vendor == "postgresql" and not connection.queries_logged:
            from django.db.backends.postgresql.base import ServerBindingCursor

            cursor.cursor = ServerBindingCursor(connection.connection)  # type: ignore[call-arg] # the stubs know no arguments
        yield cursor


def adapt(params: Iterable[Any]) -> list[Any]:
    """Each value as this database's driver takes it."""
    return [_adapted(value) for value in params]


def _adapted(value: Any) -> Any:
    if isinstance(value, uuid.UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value


def _saved(fields: Fields, values: Iterable[Any]) -> list[Any]:
    return [
        field.get_db_prep_save(value, connection)
        for field, value in zip(fields, values, strict=True)
    ]


@cache
def _update_plan(model: type[Model], names: tuple[str, ...], condition: str) -> tuple[str, Fields]:
    by_name = {field.name: field for field in model._meta.local_concrete_fields}
    fields = [by_name[name] for name in names]
    setters = ", ".join(f"{_quoted(field.column)} = %s" for field in fields)
    sql = f"UPDATE {model._meta.db_table} SET {setters} WHERE {condition}"  # noqa: S608 - names of ours
    return sql, fields


@cache
def _insert_plan(model: type[Model], unless_known: bool) -> tuple[str, Fields]:
    fields = [f for f in model._meta.local_concrete_fields if not isinstance(f, AutoField)]
    columns = ", ".join(_quoted(field.column) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    ending = " ON CONFLICT DO NOTHING" if unless_known else ""
    sql = f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({marks}){ending}"  # noqa: S608 - names of ours
    return sql, fields


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(name or "")
