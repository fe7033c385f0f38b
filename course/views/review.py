"""One student's work for one assignment, with its marks to be given beside it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from course import marks
from course.assignments import lesson_of, steps_of_assignment
from course.gradebook import students_of
from course.models import Assignment, Mark, User
from course.people import signed_in
from course.sealing import seal_all_ready
from course.steps import Step, read_points, show_points
from course.student_review import neighbours_of, review_of
from course.views.of_assignment import assignment_or_404, frame_of
from labs.audit import note_view
from labs.refusal import Refused


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, assignment_id: int, username: str) -> HttpResponse:
    """Every step with its history; what is sent marks one of them and comes back to it."""
    right = "mark_work" if request.method == "POST" else "view_work"
    assignment = assignment_or_404(request, assignment_id, right)
    student = get_object_or_404(assignment.classroom.students(), username=username)
    if request.method == "POST":
        return _give(request, assignment, student)
    note_view(viewer=request.user, owner=student)
    seal_all_ready(assignment)
    return _show(request, assignment, student)


def _show(request: HttpRequest, assignment: Assignment, student: User, **more: Any) -> HttpResponse:
    lesson = lesson_of(assignment)
    context = frame_of(request, assignment) | {
        "student": student,
        "lesson": lesson,
        "review": review_of(student, assignment, lesson) if lesson else None,
        "neighbours": neighbours_of(students_of(assignment.classroom), student.username),
    }
    return render(request, "course/review.html", context | more)


def _give(request: HttpRequest, assignment: Assignment, student: User) -> HttpResponse:
    """A no is shown at the same step, with what was typed."""
    mark, step = _mark_and_step(request, assignment, student)
    comment = request.POST.get("comment", "").strip()
    is_full = request.POST.get("give") == "full"
    points = step.maximum if is_full else read_points(request.POST.get("points", ""))
    version = request.POST.get("version", "")
    try:
        marks.give_mark(
            mark=mark,
            maximum=step.maximum,
            version=int(version) if version.isdecimal() and len(version) < 9 else 0,
            hundredths=points,
            comment=comment,
            marker=signed_in(request),
        )
    except Refused as no:
        typed = {"points": request.POST.get("points", ""), "comment": comment}
        refused = {"refusal": str(no), "refused_step": step.id, "typed": typed}
        return _show(request, assignment, student, **refused)
    given = {"points": show_points(points or 0), "most": step.points, "label": step.label}
    messages.success(request, _("%(label)s: given %(points)s of %(most)s.") % given)
    address = reverse("course:review", args=[assignment.pk, student.username])
    return redirect(f"{address}#{step.id}")


def _mark_and_step(
    request: HttpRequest, assignment: Assignment, student: User
) -> tuple[Mark, Step]:
    wanted = request.POST.get("step", "")
    of_student = Mark.objects.of_assignment(assignment).filter(handin__student=student)
    found = of_student.select_related("handin__assignment__classroom")
    mark = get_object_or_404(found, step=wanted)
    for step in steps_of_assignment(assignment):
        if step.id == wanted:
            return mark, step
    raise Http404("this step is no longer marked")
