"""The teacher guide of an assignment's lesson, beside what the class itself made of it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from course.assignments import lesson_of
from course.class_figures import figures_of
from course.gradebook import students_of
from course.views.of_assignment import assignment_or_404, frame_of


@login_required
@require_safe
def class_guide(request: HttpRequest, assignment_id: int) -> HttpResponse:
    assignment = assignment_or_404(request, assignment_id, "view_work")
    lesson = lesson_of(assignment)
    students = students_of(assignment.classroom)
    until = assignment.classroom.archived_at or timezone.now()
    figures = figures_of(lesson, students, until) if lesson else None
    context = frame_of(request, assignment) | {"lesson": lesson, "figures": figures}
    return render(request, "course/class_guide.html", context)
