"""What authors and admins see of a lesson: its last rehearsal, and what a change did to rows."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from course.library import get_lesson
from course.models import Rehearsal
from course.versions import fates_of


@login_required
@require_safe
def lesson_state(request: HttpRequest, slug: str) -> HttpResponse:
    if not request.user.has_perm("course.view_lesson_state"):
        raise PermissionDenied("The state of a lesson is for admins.")
    lesson = get_lesson(slug)
    if lesson is None:
        raise Http404("no such lesson")
    context = {
        "lesson": lesson,
        "rehearsal": Rehearsal.objects.newest_of(lesson),
        "fates": fates_of(lesson),
    }
    return render(request, "course/lesson_state.html", context)
