"""The admins' page of all labs."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from labs.fragments import wants_fragment
from labs.models import Host, Lab
from labs.requests import request_stop_lab


@login_required
@require_safe
def lab_list(request: HttpRequest) -> HttpResponse:
    """Every lab, the started ones first."""
    _refuse_others(request)
    template = "labs/_lab_table.html" if wants_fragment(request) else "labs/lab_list.html"
    context = {"labs": Lab.objects.for_dashboard(), "hosts": Host.objects.order_by("name")}
    return render(request, template, context)


@login_required
@require_POST
def lab_stop(request: HttpRequest, pk: int) -> HttpResponse:
    _refuse_others(request)
    lab = get_object_or_404(Lab, pk=pk)
    request_stop_lab(lab, actor=request.user)
    messages.success(request, f"The lab of {lab.owner} saves its files and stops.")
    return redirect("labs:lab-list")


def _refuse_others(request: HttpRequest) -> None:
    if not request.user.has_perm("labs.manage_labs"):
        raise PermissionDenied("Labs are managed by admins.")
