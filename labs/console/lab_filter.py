"""What the list of labs was asked for: search, filters, order and page, read from its address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import F, Q
from django.http import QueryDict

from labs.audience import get_audience
from labs.models import Lab
from labs.models.labs import LabQuerySet

SORTS = {
    "owner": "owner__username",
    "state": "state",
    "since": "state_since_at",
    "memory": "sample__memory_bytes",
    "cpu": "sample__cpu_percent",
    "disk": "sample__disk_bytes",
    "pids": "sample__pids",
    "error": "last_error_at",
    "host": "host__name",
}
STARTED = "started"
"""Not a state: every lab that has a container."""


@dataclass(frozen=True)
class LabFilter:
    """Empty fields ask for nothing. Nonsense in an address counts as empty."""

    words: str = ""
    state: str = ""
    host: str = ""
    scope: str = ""
    trouble: bool = False
    sort: str = ""
    """One of SORTS, with a minus in front of it for the largest first."""

    @classmethod
    def from_query(cls, query: QueryDict) -> LabFilter:
        state, sort = query.get("state", ""), query.get("sort", "")
        return cls(
            words=query.get("words", "").strip()[:100],
            state=state if state in (STARTED, *Lab.State.values) else "",
            host=query.get("host", "")[:100],
            scope=query.get("scope", "")[:150],
            trouble=bool(query.get("trouble")),
            sort=sort if sort.removeprefix("-") in SORTS else "",
        )

    def labs(self) -> LabQuerySet:
        """With owner, host and sample, in order. One query when read."""
        found = Lab.objects.select_related("owner", "host", "sample")
        for word in self.words.split():
            found = found.filter(
                Q(owner__username__icontains=word)
                | Q(owner__first_name__icontains=word)
                | Q(owner__last_name__icontains=word)
                | Q(reason__icontains=word)
                | Q(last_error__icontains=word)
            )
        if self.state:
            states = Lab.STARTED if self.state == STARTED else [self.state]
            found = found.filter(state__in=states)
        if self.host:
            found = found.filter(host__name=self.host)
        if self.trouble:
            found = found.filter(Q(state=Lab.State.FAILED) | ~Q(last_error=""))
        if (owners := get_audience().owners_in(self.scope)) is not None:
            found = found.filter(owner__in=owners)
        return self._ordered(found)

    def _ordered(self, found: LabQuerySet) -> LabQuerySet:
        """By the chosen column, what is not known last; else those with a container first."""
        if not self.sort:
            return found.started_first()
        field = F(SORTS[self.column])
        order = field.desc(nulls_last=True) if self.is_down else field.asc(nulls_last=True)
        return found.order_by(order, "owner__username", "pk")

    def query(self, **changes: str) -> str:
        """The address's query for the same list with other values; empty where nothing is asked."""
        values = {
            "words": self.words,
            "state": self.state,
            "host": self.host,
            "scope": self.scope,
            "trouble": "on" if self.trouble else "",
            "sort": self.sort,
            **changes,
        }
        return urlencode({name: value for name, value in values.items() if value})

    @property
    def column(self) -> str:
        """The column that orders the list; empty for the usual order."""
        return self.sort.removeprefix("-")

    @property
    def is_down(self) -> bool:
        return self.sort.startswith("-")

    def turned(self, column: str) -> str:
        """The order that a press on this column's head asks for."""
        largest_first = column not in ("owner", "state", "host")
        if self.column == column:
            return column if self.is_down else f"-{column}"
        return f"-{column}" if largest_first else column
