"""The list of all labs, one lab, and what an admin does to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from labs.audience import get_audience
from labs.console.access import needs
from labs.console.deeds import DEEDS, MESSAGE, Deed, do
from labs.console.lab_columns import columns_of
from labs.console.lab_filter import STARTED, LabFilter
from labs.console.lab_rows import rows_of
from labs.fragments import wants_fragment
from labs.models import AuditEntry, Host, Lab

LABS_ON_A_PAGE = 50
SHOWN = 10
NAMES_SHOWN = 30


@login_required
@require_safe
@needs("labs.manage_labs")
def lab_list(request: HttpRequest) -> HttpResponse:
    """One page of the labs that were asked for; as a fragment its rows alone."""
    wanted = LabFilter.from_query(request.GET)
    page = Paginator(wanted.labs(), LABS_ON_A_PAGE).get_page(request.GET.get("page"))
    rows = rows_of(list(page.object_list), chosen=_numbers(request.GET.getlist("lab")))
    itself = wanted.query(page=str(page.number) if page.number > 1 else "")
    context = {"filter": wanted, "page": page, "rows": rows, "itself": itself, "tab": "labs"}
    if wants_fragment(request):
        return render(request, "labs/_lab_rows.html", context)
    return render(request, "labs/lab_list.html", context | _around_the_list(wanted))


def _around_the_list(wanted: LabFilter) -> dict[str, Any]:
    counted = Lab.objects.order_by().values("state").annotate(labs=Count("pk"))
    counts = {row["state"]: row["labs"] for row in counted}
    labels = dict(Lab.State.choices)
    return {
        "columns": columns_of(wanted),
        "counts": [(state, labels[state], counts[state]) for state in labels if state in counts],
        "states": [(STARTED, _("started")), *Lab.State.choices],
        "hosts": Host.objects.order_by("name"),
        "classes": [s for s in get_audience().scopes() if s.key.startswith("class:")],
        "deeds": DEEDS.values(),
    }


@login_required
@require_safe
@needs("labs.manage_labs")
def lab_detail(request: HttpRequest, pk: int) -> HttpResponse:
    lab = get_object_or_404(Lab.objects.select_related("owner", "host", "sample"), pk=pk)
    (row,) = rows_of([lab])
    may_read_log = request.user.has_perm("labs.read_audit")
    log = AuditEntry.objects.filter(subject=f"lab {lab.pk}")
    context = {
        "row": row,
        "lab": lab,
        "runs": lab.runs.newest_first().without_command()[:SHOWN],
        "wishes": lab.wishes.select_related("actor").order_by("-pk")[:SHOWN],
        "entries": log[:SHOWN] if may_read_log else None,
        "deeds": DEEDS.values(),
        "tab": "labs",
    }
    template = "labs/_lab_facts.html" if wants_fragment(request) else "labs/lab_detail.html"
    return render(request, template, context)


@login_required
@require_POST
@needs("labs.manage_labs")
def lab_bulk(request: HttpRequest) -> HttpResponse:
    """Asks once more, then does it: without `confirmed` the answer is the question."""
    deed = DEEDS.get(request.POST.get("deed", ""))
    if deed is None:
        raise Http404("no such deed")
    back = f"{reverse('labs:lab-list')}?{_filter_of(request).query()}"
    labs = _chosen_labs(request)
    if not labs:
        messages.warning(
            request, _("No lab was chosen, so nothing was done. Tick some labs first.")
        )
        return redirect(back)
    text = request.POST.get("text", "")
    if "confirmed" not in request.POST:
        return _ask_once_more(request, deed, labs, text)
    outcome = do(deed, labs, actor=request.user, text=text)
    if deed is MESSAGE and not outcome.asked:
        return _ask_once_more(request, deed, labs, text, refusal=outcome.refused[0])
    if outcome.asked:
        messages.success(request, f"{deed.done} {outcome.asked}")
    for sentence in outcome.refused[:NAMES_SHOWN]:
        messages.warning(request, sentence)
    return redirect(back)


def _ask_once_more(
    request: HttpRequest, deed: Deed, labs: Sequence[Lab], text: str, *, refusal: str = ""
) -> HttpResponse:
    context = {
        "deed": deed,
        "labs": labs[:NAMES_SHOWN],
        "count": len(labs),
        "more": max(0, len(labs) - NAMES_SHOWN),
        # One field, since a form of a thousand fields is refused as an attack.
        "numbers": ",".join(str(lab.pk) for lab in labs),
        "query": request.POST.get("query", ""),
        "text": text,
        "refusal": refusal,
        "wants_text": deed is MESSAGE,
        "tab": "labs",
    }
    return render(request, "labs/lab_bulk.html", context)


def _chosen_labs(request: HttpRequest) -> list[Lab]:
    """The ticked ones, or all that the list was asked for."""
    if "everyone" in request.POST and "confirmed" not in request.POST:
        return list(_filter_of(request).labs())
    chosen = [*request.POST.getlist("lab"), *request.POST.get("labs", "").split(",")]
    labs = Lab.objects.select_related("owner", "host").filter(pk__in=_numbers(chosen))
    return list(labs.order_by("owner__username"))


def _filter_of(request: HttpRequest) -> LabFilter:
    """Of the list that the form stood on."""
    return LabFilter.from_query(QueryDict(request.POST.get("query", "")))


def _numbers(texts: Sequence[str]) -> list[int]:
    """What is no number was not sent by our pages, and names no lab."""
    return [int(text) for text in texts if text.isdecimal() and len(text) < 16]
