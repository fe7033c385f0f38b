"""The machines that keep labs: how full they are, and whether they take more."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labs.admin_requests import request_drain, set_capacity
from labs.console import words
from labs.console.access import needs
from labs.console.forms import CapacityForm
from labs.fragments import wants_fragment
from labs.models import Host, Lab, Run
from labs.room import Capacity, capacity_of


@dataclass(frozen=True)
class HostRow:
    host: Host
    labs: int
    """Those with a container."""
    promised_bytes: int
    """What their limits add up to."""
    used_bytes: int
    """What was measured of them."""
    waiting: int
    """Runs that wait for this host."""

    @property
    def used(self) -> str:
        return words.mib(self.used_bytes)

    @property
    def promised(self) -> str:
        capacity = self._capacity
        return words.share(self.promised_bytes, capacity.memory_bytes if capacity else None)

    @property
    def most_labs(self) -> int | None:
        """None while it drains, and before its worker has told its memory."""
        return self._capacity.labs if self._capacity else None

    @property
    def _capacity(self) -> Capacity | None:
        is_told = self.host.memory_bytes is not None or self.host.capacity_bytes is not None
        return capacity_of(self.host) if is_told and not self.host.is_draining else None

    @property
    def memory(self) -> str:
        return words.mib(self.host.memory_bytes)


@login_required
@require_safe
@needs("labs.manage_hosts")
def host_list(request: HttpRequest) -> HttpResponse:
    context = {"rows": _rows(), "tab": "hosts"}
    template = "labs/_host_table.html" if wants_fragment(request) else "labs/host_list.html"
    return render(request, template, context)


def _rows() -> list[HostRow]:
    """Two queries, however many hosts and labs."""
    started = Q(labs__state__in=Lab.STARTED)
    hosts = Host.objects.order_by("name").annotate(
        started=Count("labs", filter=started),
        promised=Sum("labs__memory_bytes", filter=started),
        used=Sum("labs__sample__memory_bytes", filter=started),
    )
    queued = Run.objects.filter(state=Run.State.QUEUED).order_by()
    waiting = dict(queued.values_list("lab__host").annotate(runs=Count("pk")))
    return [
        HostRow(
            host,
            labs=host.started,
            promised_bytes=host.promised or 0,
            used_bytes=host.used or 0,
            waiting=waiting.get(host.pk, 0),
        )
        for host in hosts
    ]


@login_required
@require_POST
@needs("labs.manage_hosts")
def host_drain(request: HttpRequest, host_id: int) -> HttpResponse:
    """Asks once more, then drains the host or lets it take labs again."""
    host = get_object_or_404(Host, pk=host_id)
    is_draining = request.POST.get("drain") == "yes"
    if "confirmed" not in request.POST:
        context = {"host": host, "is_draining": is_draining, "tab": "hosts"}
        return render(request, "labs/host_drain.html", context)
    request_drain(host, is_draining=is_draining, actor=request.user)
    said = (
        _("The host %(host)s takes no more labs. Those that are idle move on by themselves.")
        if is_draining
        else _("The host %(host)s takes labs again.")
    )
    messages.success(request, said % {"host": host.name})
    return redirect("labs:host-list")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@needs("labs.manage_hosts")
def host_edit(request: HttpRequest, host_id: int) -> HttpResponse:
    """How many labs the host takes."""
    host = get_object_or_404(Host, pk=host_id)
    form = CapacityForm(
        request.POST if request.method == "POST" else None, initial=CapacityForm.initial_of(host)
    )
    if form.is_valid():
        set_capacity(host, actor=request.user, **form.capacity())
        messages.success(request, _("The capacity of %(host)s is set.") % {"host": host.name})
        return redirect("labs:host-list")
    context = {"host": host, "form": form, "tab": "hosts"}
    return render(request, "labs/host_edit.html", context)
