"""What the pages of an assignment share: the one of the one who asks, and times on its clock."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from course.models import Assignment, HandIn
from course.permissions import rights_in


def assignment_or_404(request: HttpRequest, assignment_id: int, right: str) -> Assignment:
    """An assignment of a class in which the reader has this right; any other looks like none."""
    found = Assignment.objects.select_related("classroom")
    assignment = get_object_or_404(found, pk=assignment_id)
    if not request.user.has_perm(f"course.{right}", assignment.classroom):
        raise Http404("no such assignment")
    return assignment


def handin_or_404(request: HttpRequest, handin_id: int) -> HandIn:
    """One's own, or that of a class in which the reader sees work."""
    found = HandIn.objects.select_related("assignment__classroom", "student", "files_wish")
    handin = get_object_or_404(found, pk=handin_id)
    if not request.user.has_perm("course.view_handin", handin):
        raise Http404("no such hand-in")
    return handin


def frame_of(request: HttpRequest, assignment: Assignment) -> dict[str, Any]:
    """What the head of an assignment's pages needs. One query."""
    return {
        "assignment": assignment,
        "classroom": assignment.classroom,
        "rights": rights_in(request.user, assignment.classroom),
    }
