"""The database's own refusal to change or remove entries of the audit log.

A migration that alters the table on SQLite makes it anew, and must put the seal on again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_REFUSE = "SELECT RAISE(ABORT, 'The audit log is append-only.');"
ON = {
    "sqlite": (
        f"CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON labs_auditentry BEGIN {_REFUSE} END",
        f"CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON labs_auditentry BEGIN {_REFUSE} END",
        # INSERT OR REPLACE removes a row without asking the trigger above.
        "CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON labs_auditentry "
        "WHEN EXISTS (SELECT 1 FROM labs_auditentry WHERE id = NEW.id) "
        "BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END",
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION labs_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'The audit log is append-only.'; END $$",
        "CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR DELETE ON labs_auditentry "
        "FOR EACH ROW EXECUTE FUNCTION labs_audit_refuse()",
        "CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON labs_auditentry "
        "FOR EACH STATEMENT EXECUTE FUNCTION labs_audit_refuse()",
    ),
}
OFF = {
    "sqlite": (
        "DROP TRIGGER IF EXISTS audit_is_not_changed",
        "DROP TRIGGER IF EXISTS audit_is_not_removed",
        "DROP TRIGGER IF EXISTS audit_is_not_replaced",
    ),
    "postgresql": (
        "DROP TRIGGER IF EXISTS audit_is_not_changed ON labs_auditentry",
        "DROP TRIGGER IF EXISTS audit_is_not_emptied ON labs_auditentry",
    ),
}


def put_on(connection: Any) -> None:
    """Nothing can be changed from here on. Also where the seal is on already."""
    take_off(connection)
    _execute(connection, ON)


def take_off(connection: Any) -> None:
    _execute(connection, OFF)


@contextmanager
def broken(connection: Any) -> Iterator[None]:
    """Only for emptying the whole database: the seal is off inside, and on again afterwards."""
    take_off(connection)
    try:
        yield
    finally:
        put_on(connection)


def _execute(connection: Any, statements: Mapping[str, tuple[str, ...]]) -> None:
    with connection.cursor() as cursor:
        for statement in statements[connection.vendor]:
            cursor.execute(statement)
