"""In which order answers come to be marked, and what stands before and after one. Reads only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from course.models import Assignment, Mark
from course.steps import Step

BY = ("question", "student")
SHOW = ("waiting", "all")
NAMES = ("shown", "hidden")


@dataclass(frozen=True)
class Way:
    """How somebody goes through the answers: kept in the address, so that nothing forgets it."""

    by: str = "question"
    show: str = "waiting"
    names: str = "shown"
    step: str = ""
    """Only this one; empty for all."""

    @property
    def query(self) -> str:
        return urlencode({name: value for name, value in vars(self).items() if value})

    @property
    def others(self) -> dict[str, str]:
        """The same way but for one choice: what the switches on the page lead to."""
        return {
            "by_question": replace(self, by="question").query,
            "by_student": replace(self, by="student").query,
            "show_waiting": replace(self, show="waiting").query,
            "show_all": replace(self, show="all").query,
            "names_shown": replace(self, names="shown").query,
            "names_hidden": replace(self, names="hidden").query,
        }

    @property
    def hides_names(self) -> bool:
        return self.names == "hidden"


def read_way(sent: dict[str, str]) -> Way:
    """Whatever is not known is as it is at first."""
    way = Way()
    for name, known in (("by", BY), ("show", SHOW), ("names", NAMES)):
        if sent.get(name) in known:
            way = replace(way, **{name: sent[name]})
    return replace(way, step=sent.get("step", "")[:120])


@dataclass(frozen=True)
class Spot:
    """One answer in the queue, as little of it as the order needs."""

    mark: int
    handin: int
    step: str
    verdict: str
    cause: str

    @property
    def is_waiting(self) -> bool:
        return self.verdict == Mark.Verdict.WAITING

    @property
    def by_person(self) -> bool:
        return self.cause in (Mark.Cause.TEACHER, Mark.Cause.SAME_ANSWER, Mark.Cause.EARLIER)


@dataclass(frozen=True)
class Queue:
    """All answers in the order of one way."""

    way: Way
    spots: Sequence[Spot]

    @property
    def waiting(self) -> int:
        return sum(spot.is_waiting for spot in self.spots)

    def at(self, mark: int | None) -> Spot | None:
        """That answer; without one, the first that is to be marked."""
        if mark is not None:
            return next((spot for spot in self.spots if spot.mark == mark), None)
        return next(filter(self._is_shown, self.spots), None)

    def after(self, spot: Spot) -> Spot | None:
        """The next to be marked: behind it, or else from the front again."""
        here = self.spots.index(spot)
        turned = [*self.spots[here + 1 :], *self.spots[:here]]
        if self.way.show == "all":
            turned = list(self.spots[here + 1 :])
        return next(filter(self._is_shown, turned), None)

    def before(self, spot: Spot) -> Spot | None:
        """What was just marked is found again by it, too."""
        earlier = self.spots[: self.spots.index(spot)]
        return next(filter(self._is_walked, reversed(earlier)), None)

    def _is_shown(self, spot: Spot) -> bool:
        return self.way.show == "all" or spot.is_waiting

    def _is_walked(self, spot: Spot) -> bool:
        return self._is_shown(spot) or spot.by_person


def queue_of(assignment: Assignment, steps: Sequence[Step], way: Way) -> Queue:
    """One query."""
    order = {step.id: at for at, step in enumerate(steps)}
    rows = Mark.objects.of_assignment(assignment).filter(step__in=order)
    if way.step in order:
        rows = rows.filter(step=way.step)
    found = rows.values_list("pk", "handin_id", "step", "verdict", "cause")
    return Queue(way, _in_order(assignment, order, [Spot(*row) for row in found], way))


def _in_order(
    assignment: Assignment, order: dict[str, int], spots: Iterable[Spot], way: Way
) -> list[Spot]:
    if way.by == "student":
        return sorted(spots, key=lambda s: (shuffled(assignment, s.handin), order[s.step]))
    return sorted(spots, key=lambda s: (order[s.step], shuffled(assignment, s.handin, s.step)))


def shuffled(assignment: Assignment, handin: int, step: str = "") -> str:
    """A place that nobody chose, the same for everybody at any time: the first in the alphabet
    isn't always marked freshest, and two markers see the same order."""
    return hashlib.sha256(f"{assignment.pk}/{step}/{handin}".encode()).hexdigest()


def alias_of(assignment: Assignment, handin: int) -> str:
    """What a hand-in is called while names are hidden."""
    return shuffled(assignment, handin)[:4].upper()
