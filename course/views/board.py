"""The class board: where everybody stands just now, for the teacher or on a wall."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from course.assignments import lesson_of
from course.board import PAGE_ROWS, board_of, mixed
from course.board_html import SIGNS, BoardHtml, board_html, head_html, words_of_states
from course.gradebook import students_of
from course.models import Assignment
from course.slots import fill_slots, slot
from course.views.of_assignment import assignment_or_404, frame_of
from labs.fragments import wants_fragment

NOTHING_NEW = 204


@login_required
@require_safe
def board(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """The page, or for one that is open already what has changed on it since."""
    assignment = assignment_or_404(request, assignment_id, "view_work")
    if assignment.classroom.is_archived:
        return _no_longer_live(request, assignment)
    shows_names = request.GET.get("names") != "hidden"
    found = _read(request, assignment, shows_names=shows_names)
    if wants_fragment(request):
        return _changes(request, found["html"])
    context = frame_of(request, assignment) | found | {"body": slot("body")}
    page = render_to_string("course/board.html", context, request)
    return HttpResponse(fill_slots(page, {"body": found["html"].body if found["html"] else ""}))


def _no_longer_live(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """What its students do now, they do for others: who has the page open is led away from it."""
    address = reverse("course:gradebook", args=[assignment.pk])
    if wants_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address})
    messages.info(
        request,
        _(
            "A board shows a class at work, and this one is archived. Here is what came of it; "
            "each student's work can still be read."
        ),
    )
    return redirect(address)


def _read(request: HttpRequest, assignment: Assignment, *, shows_names: bool) -> dict[str, Any]:
    lesson = lesson_of(assignment)
    if lesson is None:
        return {"html": None}
    students = students_of(assignment.classroom)
    pages = Paginator(students if shows_names else mixed(assignment, students), PAGE_ROWS)
    page = pages.get_page(request.GET.get("page"))
    found = board_of(lesson, list(page.object_list), timezone.now())
    return {
        "html": board_html(assignment, found, shows_names=shows_names),
        "head": head_html(found.steps),
        "legend": [(state, SIGNS[state], words) for state, words in words_of_states().items()],
        "shows_names": shows_names,
        "page": page,
        "pages": pages,
    }


def _changes(request: HttpRequest, html: BoardHtml | None) -> HttpResponse:
    """Only the rows that are new; where people came or left, the page is asked for whole."""
    if html is None or request.GET.get("seen") == html.seen:
        return HttpResponse(status=NOTHING_NEW)
    rows = html.changed_since(request.GET.get("seen", ""))
    if rows is None:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "course/_board_changes.html", {"html": html, "rows": rows})
