"""The columns of the list of labs, and the address that orders it by each."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from labs.console.lab_filter import SORTS, LabFilter

COLUMNS = (
    ("owner", _("Owner")),
    ("class", _("Class")),
    ("state", _("State")),
    ("since", _("Since")),
    ("memory", _("Memory")),
    ("cpu", _("CPU")),
    ("disk", _("Disk")),
    ("pids", _("Processes")),
    ("run", _("Last run")),
    ("error", _("Last error")),
    ("host", _("Host")),
)
NUMBERS = ("memory", "cpu", "disk", "pids")


@dataclass(frozen=True)
class Column:
    name: str | Promise
    query: str
    """Of the same list in the order that a press on the head asks for; empty for none."""
    order: str
    """As `aria-sort` says it; empty where the list has another order."""
    is_number: bool


def columns_of(wanted: LabFilter) -> list[Column]:
    order = "descending" if wanted.is_down else "ascending"
    return [
        Column(
            name,
            query=wanted.query(sort=wanted.turned(key)) if key in SORTS else "",
            order=order if wanted.column == key else "",
            is_number=key in NUMBERS,
        )
        for key, name in COLUMNS
    ]
