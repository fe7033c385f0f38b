"""Runs that wait, runs that a worker holds, and runs that were lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from labs.admin_requests import ring_again
from labs.console.access import needs
from labs.fragments import wants_fragment
from labs.models import Run, Wish

RUNS_SHOWN = 100
LOST_SHOWN = 50


@dataclass(frozen=True)
class WaitingRun:
    run: Run
    place: int
    """Among those that wait for the same host, or for any: the first is 1."""


@login_required
@require_safe
@needs("labs.manage_labs")
def queue_list(request: HttpRequest) -> HttpResponse:
    template = "labs/_queue.html" if wants_fragment(request) else "labs/queue_list.html"
    return render(request, template, _queue() | {"tab": "queue"})


def _queue() -> dict[str, Any]:
    """Seven queries, however much waits."""
    runs = Run.objects.without_command().select_related("owner", "lab__host")
    queued = runs.filter(state=Run.State.QUEUED).order_by("queued_at", "pk")
    held = Run.objects.active().exclude(lease_until_at=None)
    return {
        "waiting": list(_places(queued[:RUNS_SHOWN])),
        "waiting_count": queued.count(),
        "running": runs.active()
        .exclude(state=Run.State.QUEUED)
        .order_by("started_at")[:RUNS_SHOWN],
        "running_count": Run.objects.active().exclude(state=Run.State.QUEUED).count(),
        "lost": runs.lost().newest_first()[:LOST_SHOWN],
        "oldest_lease": held.aggregate(oldest=Min("lease_until_at"))["oldest"],
        "wishes": Wish.objects.active().select_related("lab__owner", "lab__host")[:RUNS_SHOWN],
        "now": timezone.now(),
    }


def _places(queued: Any) -> Iterator[WaitingRun]:
    places: dict[int | None, int] = defaultdict(int)
    for run in queued:
        places[run.lab.host_id] += 1
        yield WaitingRun(run, places[run.lab.host_id])


@login_required
@require_POST
@needs("labs.manage_labs")
def queue_ring(request: HttpRequest) -> HttpResponse:
    """A ring may have been lost; the workers are told once more of all that nobody holds."""
    rung = ring_again(actor=request.user)
    messages.success(
        request,
        ngettext(
            "The workers were told again of %(count)d thing that waits.",
            "The workers were told again of %(count)d things that wait.",
            rung,
        )
        % {"count": rung},
    )
    return redirect("labs:queue-list")
