"""A page of labs as the list shows it: each with its classes, what it uses and its last run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from labs.audience import Scope, get_audience
from labs.console import words
from labs.models import Lab, Run, Sample


@dataclass(frozen=True)
class LabRow:
    lab: Lab
    classes: Sequence[Scope] = ()
    run: Run | None = None
    """Its newest."""
    is_chosen: bool = False
    """Ticked, on a page that shows itself again."""

    @property
    def sample(self) -> Sample | None:
        """What this very container uses; None without one, or where it was never measured."""
        sample: Sample | None = getattr(self.lab, "sample", None)
        if sample is None or self.lab.state not in Lab.STARTED:
            return None
        return sample if sample.generation == self.lab.generation else None

    @property
    def since(self) -> str:
        return words.age(self.lab.state_since_at, timezone.now())

    @property
    def run_age(self) -> str:
        return words.age(self.run.queued_at, timezone.now()) if self.run else ""

    @property
    def error_age(self) -> str:
        error_at = self.lab.last_error_at
        return words.age(error_at, timezone.now()) if error_at else ""

    @property
    def sample_age(self) -> str:
        return words.age(self.sample.at, timezone.now()) if self.sample else ""

    @property
    def memory(self) -> str:
        return (
            words.share(self.sample.memory_bytes, self.sample.memory_limit_bytes)
            if self.sample
            else ""
        )

    @property
    def cpu(self) -> str:
        return words.percent(self.sample.cpu_percent) if self.sample else ""

    @property
    def disk(self) -> str:
        return (
            words.share(self.sample.disk_bytes, self.sample.disk_limit_bytes) if self.sample else ""
        )

    @property
    def pids(self) -> str:
        return words.count(self.sample.pids, self.sample.pids_limit) if self.sample else ""


def rows_of(labs: Sequence[Lab], *, chosen: Collection[int] = ()) -> list[LabRow]:
    """Three queries, however many labs."""
    classes = get_audience().classes_of([lab.owner_id for lab in labs])
    runs = _newest_runs([lab.pk for lab in labs])
    return [
        LabRow(lab, classes.get(lab.owner_id, ()), runs.get(lab.pk), lab.pk in chosen)
        for lab in labs
    ]


def _newest_runs(lab_ids: Sequence[int]) -> dict[int, Run]:
    newest = Run.objects.filter(lab=OuterRef("pk")).newest_first().values("pk")[:1]
    labs = Lab.objects.filter(pk__in=lab_ids).annotate(newest_run=Subquery(newest))
    ids = [run_id for run_id in labs.values_list("newest_run", flat=True) if run_id]
    return {run.lab_id: run for run in Run.objects.filter(pk__in=ids).without_command()}
