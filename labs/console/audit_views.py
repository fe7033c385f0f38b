"""The audit log: who did what to what, searched and read, never changed."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from labs.console.access import needs
from labs.models import AuditEntry

ENTRIES_ON_A_PAGE = 50
FIELDS = ("words", "action", "since", "until")


@login_required
@require_safe
@needs("labs.read_audit")
def audit_list(request: HttpRequest) -> HttpResponse:
    asked = {name: request.GET.get(name, "").strip()[:100] for name in FIELDS}
    found = AuditEntry.objects.that_mention(asked["words"])
    if asked["action"]:
        found = found.filter(action=asked["action"])
    if since := _date(asked["since"]):
        found = found.filter(at__date__gte=since)
    if until := _date(asked["until"]):
        found = found.filter(at__date__lte=until)
    page = Paginator(found, ENTRIES_ON_A_PAGE).get_page(request.GET.get("page"))
    actions = AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct()
    context = {
        "page": page,
        "entries": page.object_list,
        "asked": asked,
        "actions": actions,
        "query": urlencode({name: value for name, value in asked.items() if value}),
        "tab": "audit",
    }
    return render(request, "labs/audit_list.html", context)


def _date(text: str) -> object:
    """None for what is no date."""
    try:
        return parse_date(text)
    except ValueError:
        return None
