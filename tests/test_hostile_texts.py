"""Names and texts of people: no page takes them for markup, no table for a formula."""

from __future__ import annotations

import csv
import io

import pytest
from django.apps import apps
from django.db.models import CharField, TextField

from tests.site_walk import all_addresses, make_world

pytestmark = [pytest.mark.django_db]

HOSTILE = "=1+1<script>alert(7)</script>\"'><img src=x onerror=alert(8)>"
MARKUP = (b"<script>alert(7)", b"<img src=x")
AS_TEXT = b"=1+1&lt;script&gt;alert(7)"
READERS = ("owner", "teacher", "admin")
STREAM = "labs:run-events"
"""Answered by a server of its own."""
PAGES_THAT_SHOW_SOME = 40
NOT_WRITTEN = ("labs.AuditEntry", "labs.RecordingPiece")
"""An audit log that is only added to, and what a terminal's own recorder writes."""
IDENTIFIERS = {
    *("code", "container_id", "digest", "email", "external_id", "hash", "image", "lease_owner"),
    *("lesson", "origin", "origin_version", "password", "purpose", "session_key", "sha256"),
    *("step", "stream", "time_zone", "track", "version"),
}


def fields_of_text():
    """Every column of ours that holds words and not one of a few values."""
    for model in [
        *apps.get_app_config("course").get_models(),
        *apps.get_app_config("labs").get_models(),
    ]:
        for field in model._meta.concrete_fields:
            is_text = isinstance(field, CharField | TextField) and not (
                field.choices or field.unique or field.is_relation
            )
            if is_text and field.name not in IDENTIFIERS and model._meta.label not in NOT_WRITTEN:
                yield model, field


@pytest.fixture
def world():
    """A site all of whose names and texts are hostile."""
    world = make_world()
    for model, field in fields_of_text():
        model._base_manager.update(**{field.name: HOSTILE[: field.max_length]})
    return world


def answers(world):
    """Reader, address and answer of all that can be read, but for streams and Django's own."""
    for name, parameters in all_addresses().items():
        for person in READERS if name != STREAM and not name.startswith("admin:") else ():
            response = world.client(person).get(world.address(name, parameters))
            yield person, name, response


def body_of(response):
    if response.streaming:
        return b"" if response.is_async else b"".join(response.streaming_content)
    return response.content


def rows_of(body):
    return csv.reader(io.StringIO(body.decode("utf-8-sig")))


def test_no_name_or_text_of_a_person_becomes_markup(world):
    pages = [
        (person, name, body_of(response))
        for person, name, response in answers(world)
        if "html" in response.headers.get("Content-Type", "")
    ]
    assert [page[:2] for page in pages if any(part in page[2] for part in MARKUP)] == []
    assert sum(AS_TEXT in body for _, _, body in pages) >= PAGES_THAT_SHOW_SOME


def test_no_table_begins_a_cell_with_what_a_spreadsheet_would_reckon(world):
    tables = {
        name: list(rows_of(body_of(response)))
        for _, name, response in answers(world)
        if "csv" in response.headers.get("Content-Type", "")
    }
    cells = [(name, cell) for name, rows in tables.items() for row in rows for cell in row]
    hostile = [(name, cell) for name, cell in cells if "1+1" in cell]
    assert {name for name, _ in hostile} >= {"course:class-export", "course:roster-export"}
    assert [(name, cell) for name, cell in hostile if not cell.startswith("'")] == []
