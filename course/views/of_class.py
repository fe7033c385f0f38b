"""What the pages of a class share: the class of the one who asks, and a deed with its words."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from course.models import Classroom
from labs.refusal import Refused


def classroom_or_404(request: HttpRequest, pk: int, right: str = "view_classroom") -> Classroom:
    """A class in which the reader has this right; any other looks like none at all."""
    classroom = get_object_or_404(Classroom, pk=pk)
    if not request.user.has_perm(f"course.{right}", classroom):
        raise Http404("no such class")
    return classroom


def carry_out(request: HttpRequest, deed: Callable[[], object], done: str = "") -> bool:
    """Does it and says so on the next page where that can't be seen, or says why not."""
    try:
        deed()
    except Refused as no:
        messages.error(request, str(no))
        return False
    if done:
        messages.success(request, done)
    return True
