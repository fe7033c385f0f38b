"""The files of a lab through time: history, any file as it was, differences, downloads.

All of it is read from checkpoints: it works however the lab itself is.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from labs import audit, history, lifecycle
from labs.audience import get_audience
from labs.care import files_left_out
from labs.engine.listing import FILE, Entry, read_name, show_name
from labs.history import compare, file_bytes, files_of, find_entry, gzipped_of, saved_until
from labs.models import Checkpoint, Lab
from labs.models.checkpoints import CheckpointQuerySet
from labs.shown_files import MAX_SHOWN_BYTES, can_compare, differences, is_text, show_text
from labs.zips import safe_name, zip_pieces

STEPS_PER_PAGE = 20
CHOICES = 60
COMPARED_BYTES = 256 * 1024 + 1
LONGEST_NUMBER = 18


@login_required
@require_safe
def my_files(request: HttpRequest) -> HttpResponse:
    return redirect("labs:file-history", pk=lifecycle.lab_of(request.user).pk)


@login_required
@require_safe
def file_history(request: HttpRequest, pk: int) -> HttpResponse:
    """What changed at each checkpoint, newest first, page by page."""
    lab = lab_or_404(request, pk, "labs.view_files")
    saved = _saved(request, lab)
    older_than = _chosen(saved, request.GET.get("before", ""))
    found, has_more = history.page_of(saved, older_than=older_than, count=STEPS_PER_PAGE)
    rest = history.page_of(saved, older_than=found[-1], count=1)[0] if has_more else []
    context = _frame(request, lab) | {
        "steps": history.steps(found, rest[0] if rest else None),
        "last": found[-1] if has_more else None,
        "is_first_page": older_than is None,
        "left_out": files_left_out(lab),
    }
    return render(request, "labs/file_history.html", context)


@login_required
@require_safe
def checkpoint_detail(request: HttpRequest, pk: int, checkpoint_id: int) -> HttpResponse:
    """Every file as it was then."""
    lab, checkpoint = _lab_and_checkpoint(request, pk, checkpoint_id)
    context = _frame(request, lab) | {"checkpoint": checkpoint, "entries": files_of(checkpoint)}
    return render(request, "labs/checkpoint_detail.html", context)


@login_required
@require_safe
def file_detail(request: HttpRequest, pk: int, checkpoint_id: int, name: str) -> HttpResponse:
    """One file as it was then: as text in which nothing acts, or only as a download."""
    lab, checkpoint = _lab_and_checkpoint(request, pk, checkpoint_id)
    entry = _entry_or_404(checkpoint, name)
    content = file_bytes(checkpoint, entry.name, MAX_SHOWN_BYTES + 1) or b""
    shown = show_text(content) if is_text(content) else None
    context = _frame(request, lab) | {"checkpoint": checkpoint, "entry": entry, "shown": shown}
    return render(request, "labs/file_detail.html", context)


@login_required
@require_safe
def file_download(request: HttpRequest, pk: int, checkpoint_id: int, name: str) -> HttpResponse:
    """The bytes, as a download that no browser runs."""
    checkpoint = _lab_and_checkpoint(request, pk, checkpoint_id)[1]
    entry = _entry_or_404(checkpoint, name)
    content = file_bytes(checkpoint, entry.name) or b""
    response = HttpResponse(content, content_type="application/octet-stream")
    _make_attachment(response, safe_name(entry.name.rpartition("/")[2], set()))
    return response


@login_required
@require_safe
def files_zip(request: HttpRequest, pk: int, checkpoint_id: int) -> StreamingHttpResponse:
    """All files of that time, packed while they are sent."""
    lab, checkpoint = _lab_and_checkpoint(request, pk, checkpoint_id)
    pieces = zip_pieces(gzipped_of(checkpoint))
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    name = safe_name(f"{lab.owner}-{checkpoint.made_at:%Y-%m-%d-%H%M%S}.zip", set())
    _make_attachment(response, name)
    return response


@login_required
@require_safe
def file_difference(request: HttpRequest, pk: int) -> HttpResponse:
    """What differs between two checkpoints, and for one file line by line."""
    lab = lab_or_404(request, pk, "labs.view_files")
    saved = _saved(request, lab)
    choices = list(saved[:CHOICES])
    newest = choices[0] if choices else None
    after = _chosen(saved, request.GET.get("after", "")) or newest
    before = _chosen(saved, request.GET.get("before", ""))
    context = _frame(request, lab) | {"choices": choices, "before": before, "after": after}
    if after:
        old = files_of(before) if before else ()
        context["changes"] = compare(old, files_of(after))
        context |= _line_by_line(before, after, request.GET.get("name", ""))
    return render(request, "labs/file_difference.html", context)


def _line_by_line(before: Checkpoint | None, after: Checkpoint, name: str) -> dict[str, Any]:
    if not name:
        return {}
    wanted = read_name(name)
    old = file_bytes(before, wanted, COMPARED_BYTES) if before else None
    new = file_bytes(after, wanted, COMPARED_BYTES)
    if old is None and new is None:
        raise Http404("no such file")
    sides = old or b"", new or b""
    lines = differences(*sides) if can_compare(*sides) else None
    return {
        "name": wanted,
        "shown_name": show_name(wanted),
        "spelled": name,
        "lines": lines,
        "is_compared": lines is not None,
        "is_there_before": old is not None,
        "is_there_after": new is not None,
    }


def lab_or_404(request: HttpRequest, pk: int, permission: str) -> Lab:
    """Somebody else's lab looks like none at all."""
    lab = get_object_or_404(Lab.objects.select_related("owner", "host"), pk=pk)
    if not request.user.has_perm(permission, lab):
        raise Http404("no such lab")
    audit.note_view(viewer=request.user, owner=lab.owner)
    return lab


def checkpoint_or_404(lab: Lab, checkpoint_id: int) -> Checkpoint:
    """A checkpoint of this lab whose files are still kept."""
    return get_object_or_404(saved_until(lab, None), pk=checkpoint_id)


def _saved(request: HttpRequest, lab: Lab) -> CheckpointQuerySet:
    """What the reader may see of it: those who taught an archived class, only up to its end."""
    return saved_until(lab, get_audience().seen_until(request.user, lab.owner))


def _lab_and_checkpoint(
    request: HttpRequest, pk: int, checkpoint_id: int
) -> tuple[Lab, Checkpoint]:
    lab = lab_or_404(request, pk, "labs.view_files")
    return lab, get_object_or_404(_saved(request, lab), pk=checkpoint_id)


def _chosen(saved: CheckpointQuerySet, spelled: str) -> Checkpoint | None:
    """The checkpoint of a field of the address; None for none, 404 for somebody else's."""
    is_number = spelled.isdecimal() and len(spelled) <= LONGEST_NUMBER
    return get_object_or_404(saved, pk=int(spelled)) if is_number else None


def _entry_or_404(checkpoint: Checkpoint, name: str) -> Entry:
    entry = find_entry(checkpoint, read_name(name))
    if entry is None or entry.kind != FILE:
        raise Http404("no such file")
    return entry


def _make_attachment(response: HttpResponseBase, name: str) -> None:
    response["Content-Disposition"] = content_disposition_header(True, name)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"


def _frame(request: HttpRequest, lab: Lab) -> dict[str, Any]:
    return {
        "lab": lab,
        "is_mine": lab.owner_id == request.user.pk,
        "may_change": request.user.has_perm("labs.care_for_lab", lab),
    }
