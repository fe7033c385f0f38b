"""What authors and admins see of lessons: their files as they are, rehearsals, what changes did."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from course.drafts import Draft, draft_version, list_drafts, read_draft
from course.lesson_html import draft_html
from course.library import get_lesson
from course.models import Rehearsal
from course.versions import fates_of, versions_of
from labs.fragments import wants_fragment


def for_authors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Only for those who write lessons, after log-in."""

    @login_required
    @require_safe
    def asked(request: HttpRequest, **kwargs: str) -> HttpResponse:
        if not request.user.has_perm("course.view_lesson_state"):
            raise PermissionDenied(_("The files and the state of lessons are for admins."))
        return view(request, **kwargs)

    return asked


@for_authors
def draft_list(request: HttpRequest) -> HttpResponse:
    return render(request, "course/draft_list.html", {"drafts": list_drafts()})


@for_authors
def lesson_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The files as they are now; for a page that has seen them so already, nothing."""
    if request.GET.get("seen") == draft_version(slug) and wants_fragment(request):
        return HttpResponse(status=204)
    draft = read_draft(slug)
    if draft is None:
        raise Http404("no such lesson")
    template = "_lesson_preview.html" if wants_fragment(request) else "lesson_preview.html"
    return render(request, f"course/{template}", _preview(draft, request.GET.get("track", "")))


def _preview(draft: Draft, wanted: str) -> dict[str, object]:
    if draft.lesson is None:
        return {"draft": draft, "track": wanted}
    track = draft.lesson.pick_track(wanted)
    body = draft_html(draft.lesson.for_track(track), track)
    return {"draft": draft, "track": track, "body": body}


@for_authors
def lesson_state(request: HttpRequest, slug: str) -> HttpResponse:
    lesson = get_lesson(slug)
    if lesson is None:
        raise Http404("no such lesson")
    context = {
        "lesson": lesson,
        "rehearsal": Rehearsal.objects.newest_of(lesson),
        "fates": fates_of(lesson),
        "versions": versions_of(lesson),
    }
    return render(request, "course/lesson_state.html", context)
