"""A teacher's classes and the work of their students."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from course.library import list_lessons
from course.models import Classroom
from course.people import signed_in
from course.review import lesson_work, students_with_counts


@login_required
@require_safe
def classroom_list(request: HttpRequest) -> HttpResponse:
    classrooms = Classroom.objects.taught_by(signed_in(request))
    return render(request, "course/classroom_list.html", {"classrooms": classrooms})


@login_required
@require_safe
def classroom_detail(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = _classroom_or_404(request, pk)
    context = {"classroom": classroom, "students": students_with_counts(classroom)}
    return render(request, "course/classroom_detail.html", context)


@login_required
@require_safe
def student_work(request: HttpRequest, pk: int, username: str) -> HttpResponse:
    classroom = _classroom_or_404(request, pk)
    student = get_object_or_404(classroom.students(), username=username)
    works = [lesson_work(student, lesson) for lesson in list_lessons()]
    context = {"classroom": classroom, "student": student, "works": works}
    return render(request, "course/student_work.html", context)


def _classroom_or_404(request: HttpRequest, pk: int) -> Classroom:
    """Somebody else's class looks like none at all."""
    classroom = get_object_or_404(Classroom, pk=pk)
    if not request.user.has_perm("course.view_classroom", classroom):
        raise Http404("no such class")
    return classroom
