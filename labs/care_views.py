"""The page of one lab: restart, reset, rebuild, restore and undo, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from labs import lab_requests, lifecycle
from labs.care import care_of, files_left_out
from labs.engine.listing import read_name
from labs.file_views import checkpoint_or_404, lab_or_404
from labs.fragments import wants_fragment
from labs.models import Lab, Wish
from labs.refusal import Refused

CARE = "labs.care_for_lab"


@login_required
@require_safe
def my_lab(request: HttpRequest) -> HttpResponse:
    return redirect("labs:lab-care", pk=lifecycle.lab_of(request.user).pk)


@login_required
@require_safe
def lab_care(request: HttpRequest, pk: int) -> HttpResponse:
    lab = lab_or_404(request, pk, CARE)
    template = "labs/_care.html" if wants_fragment(request) else "labs/lab_care.html"
    context = {
        "lab": lab,
        "care": care_of(lab),
        "left_out": files_left_out(lab),
        "is_mine": lab.owner_id == request.user.pk,
    }
    return render(request, template, context)


@login_required
@require_POST
def wish_create(request: HttpRequest, pk: int) -> HttpResponse:
    """Writes down what was pressed; a worker does it, and the lab's page shows how it goes on."""
    lab = lab_or_404(request, pk, CARE)
    ask = ASKED.get(request.POST.get("kind", ""))
    if ask is None:
        raise Http404("no such button")
    _say_refusals(request, lambda: ask(request, lab))
    return redirect("labs:lab-care", pk=lab.pk)


@login_required
@require_POST
def wish_undo(request: HttpRequest, pk: int, wish_id: int) -> HttpResponse:
    lab = lab_or_404(request, pk, CARE)
    wish = get_object_or_404(lab.wishes.moves().select_related("before", "lab"), pk=wish_id)
    _say_refusals(request, lambda: lab_requests.request_undo(wish, actor=request.user))
    return redirect("labs:lab-care", pk=lab.pk)


def _say_refusals(request: HttpRequest, ask: Callable[[], Any]) -> None:
    try:
        ask()
    except Refused as refusal:
        messages.error(request, str(refusal))


def _reset(request: HttpRequest, lab: Lab) -> Wish:
    chosen = request.POST.get("to", "")
    to = checkpoint_or_404(lab, int(chosen)) if chosen.isdecimal() else None
    return lab_requests.request_reset(lab, actor=request.user, to=to)


def _restore(request: HttpRequest, lab: Lab) -> Wish:
    chosen = request.POST.get("to", "")
    if not chosen.isdecimal():
        raise Http404("no such time")
    name = read_name(request.POST.get("name", ""))
    checkpoint = checkpoint_or_404(lab, int(chosen))
    return lab_requests.request_restore(lab, actor=request.user, checkpoint=checkpoint, name=name)


def _remove_file(request: HttpRequest, lab: Lab) -> Wish:
    name = read_name(request.POST.get("name", ""))
    if not name or ".." in name.split("/"):
        raise Http404("no such file")
    return lab_requests.request_removal(lab, actor=request.user, name=name)


ASKED: dict[str, Callable[[HttpRequest, Lab], Wish]] = {
    Wish.Kind.RESTART: lambda request, lab: lab_requests.request_restart(lab, actor=request.user),
    Wish.Kind.REBUILD: lambda request, lab: lab_requests.request_rebuild(lab, actor=request.user),
    Wish.Kind.RESET: _reset,
    Wish.Kind.RESTORE: _restore,
    Wish.Kind.REMOVE_FILE: _remove_file,
    Wish.Kind.MEND_MODES: lambda request, lab: lab_requests.request_mending(
        lab, actor=request.user
    ),
    Wish.Kind.EXAMINE: lambda request, lab: lab_requests.request_examination(
        lab, actor=request.user
    ),
}
"""What each button does; its value is the kind of wish."""
