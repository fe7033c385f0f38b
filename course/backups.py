"""Every row of the site in one file, and back: checkpoints, recordings and the audit log are rows.

The file is gzipped JSON lines: a head with the migrations and the count of each model's rows, the
rows, an end. It reads from SQLite and PostgreSQL alike, whichever it was written from.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.utils import timezone

FORMAT = 1
END = {"end": True}
MADE_BY_MIGRATIONS = ("contenttypes.contenttype", "auth.permission")
NOT_KEPT = ("sessions.session", "course.logintries")
"""Who is logged in, and who tried: worthless after a restore."""
Counts = dict[str, int]


class NotRestored(Exception):
    """Nothing was changed; the text says why and what to do."""


def write_backup(path: Path) -> Counts:
    """Rows written, by model. Raises FileExistsError.

    People work on meanwhile: what is written is how all was at one moment.
    """
    if path.exists():
        raise FileExistsError(path)
    unfinished = path.with_name(f"{path.name}.unfinished")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with (
        os.fdopen(handle, "wb") as raw,
        gzip.open(raw, "wt", encoding="utf-8") as file,
        _one_moment(),
    ):
        counts = _write_all(file)
    with unfinished.open("rb") as written:
        os.fsync(written.fileno())
    unfinished.rename(path)
    return counts


def restore_backup(path: Path) -> Counts:
    """Rows restored, by model, all or none. Raises NotRestored."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        head = _read_head(file)
        _refuse_other_version(head["migrations"])
        with transaction.atomic():
            _refuse_rows()
            counts = _read_rows(file)
            if counts != {label: count for label, count in head["counts"].items() if count}:
                raise NotRestored("The backup is not whole: rows are missing. Use another one.")
            _set_sequences()
    return counts


def kept_models() -> list[type[Model]]:
    """The models whose rows a backup holds."""
    skipped = {*MADE_BY_MIGRATIONS, *NOT_KEPT}
    models = [m for m in apps.get_models() if m._meta.managed]
    kept = [m for m in models if m._meta.label_lower not in skipped]
    # people before what they are named in: a row is read when those it names are there
    return serializers.sort_dependencies([("", kept)])


@contextmanager
def _one_moment() -> Iterator[None]:
    """Reads inside see one state of all rows, and keep no writer waiting."""
    if connection.in_atomic_block:
        yield
        return
    is_postgresql = connection.vendor == "postgresql"
    begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if is_postgresql else "BEGIN"
    with connection.cursor() as cursor:
        cursor.execute(begin)
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def _write_all(file: IO[str]) -> Counts:
    models = kept_models()
    counts = {model._meta.label_lower: model._base_manager.count() for model in models}
    head = {
        "format": FORMAT,
        "made_at": timezone.now().isoformat(),
        "migrations": _migrations(),
        "counts": counts,
    }
    file.write(f"{json.dumps(head)}\n")
    for model in models:
        rows = model._base_manager.order_by("pk").iterator(chunk_size=200)
        serializers.serialize("jsonl", rows, stream=file, use_natural_foreign_keys=True)
    file.write(f"{json.dumps(END)}\n")
    return {label: count for label, count in counts.items() if count}


def _migrations() -> list[str]:
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)


def _read_head(file: IO[str]) -> dict[str, Any]:
    try:
        head = json.loads(file.readline())
    except (ValueError, OSError) as error:
        raise NotRestored("This file is no backup of this site.") from error
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise NotRestored("This file is no backup that this version of the site can read.")
    return head


def _refuse_other_version(migrations: list[str]) -> None:
    ours = _migrations()
    if migrations == ours:
        return
    missing = sorted(set(migrations) - set(ours)) or sorted(set(ours) - set(migrations))
    raise NotRestored(
        f"The backup is of another version of the site (it differs in {missing[0]}). Install the "
        "version that made it, migrate an empty database, restore, then upgrade."
    )


def _refuse_rows() -> None:
    for model in kept_models():
        if model._base_manager.exists():
            raise NotRestored(
                f"The database has rows already ({model._meta.label}). Restore into an empty one: "
                "a new database after `manage.py migrate`, or this one after `manage.py flush`."
            )


def _read_rows(file: IO[str]) -> Counts:
    counts: Counts = {}
    for line in _rows_of(file):
        for row in serializers.deserialize("jsonl", line):
            row.save(force_insert=True)
            label = row.object._meta.label_lower
            counts[label] = counts.get(label, 0) + 1
    return counts


def _rows_of(file: IO[str]) -> Iterator[str]:
    end = json.dumps(END)
    try:
        for line in file:
            if line.strip() == end:
                return
            yield line
    except (EOFError, OSError) as error:
        raise NotRestored("The backup is cut off or damaged. Use another one.") from error
    raise NotRestored("The backup is cut off. Use another one.")


def _set_sequences() -> None:
    """PostgreSQL would else give the next row a key that a restored one has."""
    statements = connection.ops.sequence_reset_sql(no_style(), kept_models())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
