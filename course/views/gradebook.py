"""Everybody's points: on a page, and as a file."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from course.assignments import note_export, steps_of_assignment
from course.gradebook import (
    PAGE_ROWS,
    SHOW,
    SORT,
    chosen,
    figures,
    read_view,
    rows_of,
    rows_of_class,
)
from course.gradebook_html import body_html, head_html, plot_html
from course.marks_export import KINDS, export_assignment, export_class
from course.people import signed_in
from course.permissions import rights_in
from course.sealing import seal_all_ready
from course.slots import fill_slots, slot
from course.views.of_assignment import assignment_or_404, frame_of
from course.views.of_class import classroom_or_404


@login_required
@require_safe
def gradebook_detail(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """One page of students; the figures are of all."""
    assignment = assignment_or_404(request, assignment_id, "view_work")
    seal_all_ready(assignment)
    steps, view, rows = (
        steps_of_assignment(assignment),
        read_view(request.GET.dict()),
        rows_of(assignment),
    )
    found = figures(rows, assignment.maximum * 100)
    pages = Paginator(chosen(rows, view), PAGE_ROWS)
    page = pages.get_page(view.page)
    context = frame_of(request, assignment) | {
        "steps": steps,
        "view": view,
        "page": page,
        "pages": pages,
        "head": head_html(assignment, steps),
        "plot": plot_html(found.plot),
        "body": slot("body"),
        "figures": found,
        "shows": SHOW,
        "sorts": SORT,
    }
    html = render_to_string("course/gradebook.html", context, request)
    body = body_html(assignment, steps, list(page.object_list))
    return HttpResponse(fill_slots(html, {"body": body}))


@login_required
@require_safe
def marks_export(request: HttpRequest, assignment_id: int, kind: str) -> HttpResponse:
    assignment = assignment_or_404(request, assignment_id, "export_marks")
    _kind_or_404(kind)
    steps, rows = steps_of_assignment(assignment), rows_of(assignment)
    note_export(assignment, actor=signed_in(request))
    data = export_assignment(assignment, steps, rows, kind)
    return _file(data, f"marks-{assignment.pk}-{assignment.lesson}.{kind}", kind)


@login_required
@require_safe
def class_gradebook(request: HttpRequest, pk: int) -> HttpResponse:
    """Students by assignments: final points of each, and all together."""
    classroom = classroom_or_404(request, pk, "view_work")
    found = list(classroom.assignments.select_related("classroom").by_due())
    tables = rows_of_class(classroom, found)
    lines = list(zip(*(tables[assignment.pk] for assignment in found), strict=True))
    page = Paginator(lines, PAGE_ROWS).get_page(request.GET.get("page"))
    context = {
        "classroom": classroom,
        "rights": rights_in(request.user, classroom),
        "assignments": found,
        "page": page,
        "lines": [(line[0].student, line, sum(row.final for row in line)) for line in page],
        "maximum": sum(assignment.maximum for assignment in found) * 100,
    }
    return render(request, "course/class_gradebook.html", context)


@login_required
@require_safe
def class_export(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "export_marks")
    _kind_or_404(kind)
    found = list(classroom.assignments.select_related("classroom").by_due())
    tables = rows_of_class(classroom, found)
    for assignment in found:
        note_export(assignment, actor=signed_in(request))
    data = export_class([(a, tables[a.pk]) for a in found], kind)
    return _file(data, f"marks-{slugify(classroom.name) or classroom.pk}.{kind}", kind)


def _kind_or_404(kind: str) -> None:
    if kind not in KINDS:
        raise Http404("no such file")


def _file(data: bytes, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(data, content_type=KINDS[kind])
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
