"""What the page of a replay shows: a recording with its long pauses cut short, and the runs whose
lines were typed in it. Reads only.
"""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.models.functions import Left

from labs.models import Run, TerminalSession
from labs.recordings import Event, clock, events_of
from labs.rendering import headline_of

PAUSE_S = 2.0
"""Nobody looks longer at a screen on which nothing happens."""
RUNS_AT_MOST = 200
LINE_SIGNS = 300


@dataclass(frozen=True)
class RunInReplay:
    """A run that was typed, and the replay's moment of it; None where nobody knows that."""

    run: Run
    at_s: float | None

    @property
    def clock(self) -> str:
        return "" if self.at_s is None else clock(self.at_s)

    @property
    def headline(self) -> str:
        return headline_of(self.run)

    @property
    def line(self) -> str:
        """The beginning of its command."""
        return str(self.run.beginning)  # type: ignore[attr-defined]  # annotated in `runs_typed_in`


class Replay:
    """A recording up to `until`, or all of it, by the player's own clock."""

    def __init__(self, session: TerminalSession, until: datetime | None = None) -> None:
        self.session = session
        self.until = until
        self._recorded = list(events_of(session, until))

    @cached_property
    def events(self) -> Sequence[Event]:
        return without_pauses(self._recorded)

    @cached_property
    def runs(self) -> Sequence[RunInReplay]:
        """In the order of their presses. One query."""
        runs = runs_typed_in(self.session, self.until)
        return [RunInReplay(run, self.moment(run.typed_at_s)) for run in runs]

    def find_run(self, run_id: uuid.UUID | None) -> RunInReplay | None:
        return next((each for each in self.runs if each.run.pk == run_id), None)

    def moment(self, recorded_s: float | None) -> float | None:
        """When the replay shows what the recording dates so; None for after its end."""
        if recorded_s is None or recorded_s > self._end_s:
            return None
        at = bisect_right(self._recorded, recorded_s, key=lambda event: event.at_s)
        if not at:
            return 0.0
        since_s = recorded_s - self._recorded[at - 1].at_s
        return self.events[at - 1].at_s + min(since_s, PAUSE_S)

    @property
    def _end_s(self) -> float:
        return self._recorded[-1].at_s if self._recorded else 0.0


def without_pauses(events: Iterable[Event]) -> list[Event]:
    """The same with nothing longer than PAUSE_S between two of them."""
    short: list[Event] = []
    before_s = cut_s = 0.0
    for event in events:
        cut_s += max(0.0, event.at_s - before_s - PAUSE_S)
        before_s = event.at_s
        short.append(Event(event.at_s - cut_s, event.code, event.data))
    return short


def runs_typed_in(session: TerminalSession, until: datetime | None) -> list[Run]:
    """The newest of them, oldest first: those asked for up to `until`, if that is given."""
    mine = Run.objects.filter(owner_id=session.owner_id, queued_at__gte=session.opened_at)
    if until:
        mine = mine.filter(queued_at__lte=until)
    typed = mine.filter(typed_into=session.pk).annotate(beginning=Left("command", LINE_SIGNS))
    newest = typed.without_command().order_by("-queued_at")[:RUNS_AT_MOST]
    return list(newest)[::-1]
