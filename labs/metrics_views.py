"""Measures for Prometheus: for who shows the token of METRICS_TOKEN, and for admins who look."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from labs import metrics


@require_safe
def metrics_detail(request: HttpRequest) -> HttpResponse:
    if not _has_token(request) and not request.user.is_staff:
        raise Http404("no measures for you")
    return HttpResponse(metrics.write_metrics(), content_type=metrics.CONTENT_TYPE)


def _has_token(request: HttpRequest) -> bool:
    token = settings.METRICS_TOKEN
    said = request.headers.get("Authorization", "")
    return bool(token) and constant_time_compare(said, f"Bearer {token}")
