"""Labs in any state, and the rows of a page's tables."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labs.lifecycle import lab_of
from labs.models import Lab, Sample
from tests.factories import make_user
from tests.markup import elements

MIB = 1024 * 1024
HTMX = {"HTTP_HX_REQUEST": "true"}


def make_lab(username: str = "", **fields: Any) -> Lab:
    lab = lab_of(make_user(username))
    Lab.objects.filter(pk=lab.pk).update(**fields)
    lab.refresh_from_db()
    return lab


def make_sample(lab: Lab, **fields: Any) -> Sample:
    """A measurement of the lab's present container."""
    defaults: dict[str, Any] = {
        "lab": lab,
        "generation": lab.generation,
        "at": timezone.now(),
        "memory_bytes": 100 * MIB,
        "memory_limit_bytes": 256 * MIB,
        "cpu_percent": 12.4,
        "pids": 7,
        "pids_limit": 128,
        "disk_bytes": 3 * MIB,
        "disk_limit_bytes": 64 * MIB,
    }
    return Sample.objects.create(**(defaults | fields))


def rows_of(response: Any) -> list[str]:
    """What each row of the page's tables says, without the heads."""
    return [row.words for row in elements(response, "tr") if "Owner" not in row.words]


def owners_in(response: Any) -> list[str]:
    """Whose labs the list shows, in its order."""
    boxes = elements(response, "input", name="lab")
    links = {link.attrs["id"]: link.words for link in elements(response, "a") if "id" in link.attrs}
    return [links[f"lab-{box.attrs['value']}"] for box in boxes]


def queries_of(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)
