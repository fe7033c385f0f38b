"""A run's receipt, its output as a file, and Stop."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from labs.audit import note_view
from labs.fragments import wants_fragment
from labs.models import Run, TerminalSession
from labs.rendering import plain_output, view_of_run
from labs.requests import request_stop_run


@login_required
@require_safe
def run_detail(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    run = _run_or_404(request, run_id, "labs.view_run")
    note_view(viewer=request.user, owner=run.owner)
    template = "labs/_run.html" if wants_fragment(request) else "labs/run_detail.html"
    return render(request, template, {"view": view_of_run(run)})


@login_required
@require_safe
def run_output(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """All that is stored, as text in which nothing acts: a download that no browser runs."""
    run = _run_or_404(request, run_id, "labs.view_run")
    note_view(viewer=request.user, owner=run.owner)
    response = HttpResponse(plain_output(run), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="run-{run.id}.txt"'
    return response


@login_required
@require_safe
def run_in_terminal(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """To the recording of the terminal that the run was typed into; its receipt and a sentence
    where that is no longer kept."""
    run = _run_or_404(request, run_id, "labs.view_run")
    if run.typed_into is None:
        raise Http404("this run was not typed into a terminal")
    session = TerminalSession.objects.filter(pk=run.typed_into).first()
    if session is None or not request.user.has_perm("labs.view_terminal", session):
        context = {"view": view_of_run(run), "has_no_recording": True}
        return render(request, "labs/run_detail.html", context)
    replay = reverse("labs:terminal-replay", args=[session.pk])
    return redirect(f"{replay}?run={run.pk}#replay")


@login_required
@require_POST
def run_stop(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    run = _run_or_404(request, run_id, "labs.stop_run")
    request_stop_run(run)
    if wants_fragment(request):
        run.refresh_from_db()
        response = render(request, "labs/_run.html", {"view": view_of_run(run)})
        if run.is_over:
            response["HX-Trigger"] = "run-over"  # nobody else will tell the block around it
        return response
    return redirect("labs:run-detail", run_id=run.id)


def _run_or_404(request: HttpRequest, run_id: uuid.UUID, permission: str) -> Run:
    """Somebody else's run looks like none at all."""
    run = get_object_or_404(Run.objects.select_related("owner", "lab"), pk=run_id)
    if not request.user.has_perm(permission, run):
        raise Http404("no such run")
    return run
