"""Measures of the site for Prometheus, read from rows at each scrape: so every process of the site
says the same, nothing is counted twice, and no run pays for it.

What comes and goes is measured over the last LATELY_S seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import Count, QuerySet, Sum
from django.utils import timezone
from prometheus_client.core import (
    CollectorRegistry,
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from labs import hosts, room
from labs.engine.base import Limits
from labs.models import Blob, Checkpoint, Host, Lab, OutputChunk, Run, ServerError, TerminalSession

CONTENT_TYPE = CONTENT_TYPE_LATEST
LATELY_S = 300
LONGEST = timedelta(days=1)
"""No run takes so long, with all its waiting: so the index by the press finds those that ended."""
MOST_RUNS = 10_000
"""So many of the latest runs are looked at: a scrape stays short at any load."""
QUANTILES = (0.5, 0.95, 0.99)


def write_metrics() -> bytes:
    """In the text format of Prometheus. Some fifteen queries, and three more a host."""
    registry = CollectorRegistry()
    registry.register(_Rows())
    return generate_latest(registry)


class _Rows(Collector):
    def collect(self) -> Iterator[Metric]:
        since = timezone.now() - timedelta(seconds=LATELY_S)
        yield from _runs(since)
        yield from _labs()
        yield from _hosts()
        yield from _kept()
        yield _errors(since)
        yield _server_errors()


def _runs(since: datetime) -> Iterator[Metric]:
    active = _count_by_state(Run.objects.active())
    yield _gauge(
        "agent_lab_runs",
        "Runs under way.",
        {state.value: active.get(state, 0) for state in _ACTIVE},
    )
    lately = Run.objects.filter(queued_at__gte=since - LONGEST, ended_at__gte=since)
    over = Counter(lately.over().values_list("state", flat=True))  # to group them, all are read
    yield _gauge("agent_lab_runs_ended_lately", "Runs that ended in the last five minutes.", over)
    yield _oldest_wait()
    started = _started_lately(since)
    waits = [(at - queued).total_seconds() for _pk, queued, at in started]
    yield _quantiles("agent_lab_run_queue_seconds", "From the press to the start.", waits)
    yield _quantiles(
        "agent_lab_run_first_output_seconds",
        "From the press to the first byte of output, where there was one.",
        _first_outputs(started),
    )


_ACTIVE = (Run.State.QUEUED, Run.State.STARTING, Run.State.RUNNING)
Started = tuple[object, datetime, datetime]


def _oldest_wait() -> Metric:
    queued = Run.objects.filter(state=Run.State.QUEUED).order_by("queued_at")
    first = queued.values_list("queued_at", flat=True).first()
    wait_s = (timezone.now() - first).total_seconds() if first else 0.0
    words = "How long the run waits that waits longest."
    return GaugeMetricFamily("agent_lab_run_longest_wait_seconds", words, value=wait_s)


def _started_lately(since: datetime) -> Sequence[Started]:
    lately = Run.objects.filter(queued_at__gte=since, started_at__isnull=False)
    newest = lately.order_by("-queued_at").values_list("pk", "queued_at", "started_at")
    return [(pk, queued, started) for pk, queued, started in newest[:MOST_RUNS] if started]


def _first_outputs(started: Sequence[Started]) -> list[float]:
    """A chunk's time counts from the run's start."""
    waits = {pk: (at - queued).total_seconds() for pk, queued, at in started}
    earliest = min((queued for _pk, queued, _at in started), default=timezone.now())
    lately = Run.objects.filter(queued_at__gte=earliest).values("pk")
    firsts = OutputChunk.objects.filter(offset=0, run__in=lately).order_by()
    return [waits[pk] + at_s for pk, at_s in firsts.values_list("run_id", "at_s") if pk in waits]


def _labs() -> Iterator[Metric]:
    family = GaugeMetricFamily("agent_lab_labs", "Labs by state.", labels=["host", "state"])
    for host, state, count in (
        Lab.objects.values_list("host__name", "state").annotate(count=Count("pk")).order_by()
    ):
        family.add_metric([host or "", state], count)
    yield family


def _hosts() -> Iterator[Metric]:
    known = list(Host.objects.order_by("name"))
    need = Limits().memory_bytes
    yield _gauge(
        "agent_lab_host_takes_labs",
        "1 where a new lab may start on it.",
        {host.name: float(hosts.has_room(host)) for host in known},
        "host",
    )
    yield _gauge(
        "agent_lab_host_places_free",
        "How many more labs of ordinary size go on it.",
        {host.name: room.free_places(host, need_bytes=need) for host in known},
        "host",
    )
    yield _gauge(
        "agent_lab_host_silent_seconds",
        "Since its engine last answered its worker.",
        {host.name: _seconds_since(host.answered_at) for host in known if host.answered_at},
        "host",
    )


def _kept() -> Iterator[Metric]:
    blobs = Blob.objects.aggregate(bytes=Sum("size_bytes"))["bytes"] or 0
    kept = Checkpoint.objects.kept().count()
    opened = TerminalSession.objects.open().count()
    yield GaugeMetricFamily("agent_lab_checkpoints", "Checkpoints kept.", value=kept)
    yield GaugeMetricFamily(
        "agent_lab_checkpoint_bytes", "What they hold, each content once, unpacked.", value=blobs
    )
    yield GaugeMetricFamily("agent_lab_terminals", "Terminals that are open.", value=opened)


def _errors(since: datetime) -> Metric:
    lost = Run.objects.lost().filter(ended_at__gte=since).count()
    labs = Lab.objects.filter(last_error_at__gte=since).count()
    pages = ServerError.objects.filter(last_at__gte=since).count()
    engines = Host.objects.exclude(engine_error="").count()
    return _gauge(
        "agent_lab_errors_lately",
        "In the last five minutes runs lost, labs with an error and kinds of pages that failed; "
        "and engines in trouble now.",
        {"run_lost": lost, "lab": labs, "page": pages, "engine": engines},
        "kind",
    )


def _server_errors() -> Metric:
    words = "Answers with a status of 500 or more."
    family = CounterMetricFamily("agent_lab_server_errors", words, labels=["view", "status"])
    for error in ServerError.objects.order_by("view", "status"):
        family.add_metric([error.view, str(error.status)], error.count)
    return family


def _count_by_state(runs: QuerySet[Run]) -> dict[str, int]:
    return dict(runs.values_list("state").annotate(count=Count("pk")).order_by())


def _gauge(name: str, words: str, values: Mapping[str, float], label: str = "state") -> Metric:
    family = GaugeMetricFamily(name, words, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _quantiles(name: str, words: str, values: Sequence[float]) -> Metric:
    family = GaugeMetricFamily(name, words, labels=["quantile"])
    for share in QUANTILES:
        if values:
            family.add_metric([str(share)], quantile(values, share))
    return family


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that `share` of them don't exceed. Pure."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _seconds_since(at: datetime) -> float:
    return (timezone.now() - at).total_seconds()
