"""The front page, and what monitors ask."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from course.library import list_lessons
from course.people import reader_of
from course.todo import todo_of
from course.tracks import as_read_by
from labs.models import Host


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    lessons = [as_read_by(request, lesson) for lesson in list_lessons()]
    reader = reader_of(request)
    todo = todo_of(reader, timezone.now()) if reader else []
    lines = [line for line in todo if line.is_to_do]
    return render(request, "course/home.html", {"lessons": lessons, "lines": lines})


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """This process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Rows can be read, and the lab hosts as their workers last reported them."""
    try:
        connection.ensure_connection()
        hosts = list(Host.objects.values("name", "seen_at", "engine_version", "engine_error"))
    except DatabaseError:
        return JsonResponse({"status": "the database does not answer"}, status=503)
    return JsonResponse({"status": "ok", "hosts": hosts})
