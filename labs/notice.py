"""What a student is told of the own lab beside a lesson: that it will stop soon, a message. Reads
rows only; the pages that show it never count as use of the lab."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from labs import lifecycle
from labs.fragments import wants_fragment
from labs.models import Lab


@dataclass(frozen=True)
class Notice:
    lab: Lab | None
    stops_in_minutes: int | None
    """None where it will not stop soon."""


def notice_of(lab: Lab | None, now: datetime) -> Notice:
    """Only a started lab in which nothing happens is going to stop. Pure."""
    if lab is None or lab.state not in lifecycle.AWAKE_OR_PAUSED:
        return Notice(lab, None)
    left = lab.active_at + timedelta(seconds=settings.LAB_STOP_AFTER_S) - now
    if left > timedelta(seconds=settings.LAB_STOP_WARNING_S):
        return Notice(lab, None)
    return Notice(lab, max(1, -(-int(left.total_seconds()) // 60)))


@login_required
@require_safe
def lab_notice(request: HttpRequest) -> HttpResponse:
    """Asked for every now and then by the lesson's page; to others, a page of its own."""
    lab = Lab.objects.filter(owner_id=request.user.pk).first()
    template = "labs/_lab_notice.html" if wants_fragment(request) else "labs/lab_notice.html"
    notice = notice_of(lab, timezone.now())
    return render(request, template, {"notice": notice, "lab": lab})


@login_required
@require_POST
def lab_keep(request: HttpRequest) -> HttpResponse:
    """The time of quiet begins anew. Nothing for somebody without a lab."""
    lab = Lab.objects.filter(owner_id=request.user.pk).first()
    if lab:
        lifecycle.keep(lab)
    if wants_fragment(request):
        return lab_notice_again(request, lab)
    return redirect("labs:lab-notice")


def lab_notice_again(request: HttpRequest, lab: Lab | None) -> HttpResponse:
    if lab:
        lab.refresh_from_db()
    notice = notice_of(lab, timezone.now())
    context = {"notice": notice, "lab": lab, "is_kept": lab is not None}
    return render(request, "labs/_lab_notice.html", context)
