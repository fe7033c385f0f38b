"""A lesson's page and everything that a reader does on it."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from course.answers import save_answer, save_answers
from course.lesson_files import content_type_of, read_lesson_file
from course.lesson_html import Seen, block_html, dock_html, left_html, lesson_html
from course.lesson_page import (
    BlockView,
    block_view,
    field_of_gap,
    field_of_shown,
    judged,
    origin_of,
    progress_of,
)
from course.lesson_versions import keep_version
from course.lessons.model import Block, Lesson
from course.library import get_lesson
from course.models import Rehearsal
from course.outcomes import outcomes_of
from course.people import login_required_on_lesson, reader_of, signed_in
from course.preferences import COOKIE_MAX_AGE_S
from course.review import RUNS_SHOWN, older_than_shown
from course.tracks import COOKIE, as_read_by, track_of
from labs.fragments import wants_fragment
from labs.models import Run
from labs.refusal import Refused
from labs.rendering import view_of_run
from labs.requests import request_run

FILE_MAX_AGE_S = 365 * 24 * 3600


@require_safe
def lesson_detail(request: HttpRequest, slug: str) -> HttpResponse:
    whole = _lesson_or_404(slug)
    keep_version(whole)
    lesson = as_read_by(request, whole)
    seen = Seen(
        track=track_of(request, lesson),
        rehearsal=Rehearsal.objects.newest_of(lesson),
        is_saved="saved" in request.GET,
    )
    reader, token = reader_of(request), get_token(request)
    context = {
        "lesson": lesson,
        "body": lesson_html(lesson, reader, token, seen),
        "dock": dock_html(lesson, token) if reader else "",
    }
    return render(request, "course/lesson_detail.html", context)


@require_safe
def lesson_file(request: HttpRequest, slug: str, version: str, name: str) -> HttpResponse:
    """A picture, to be shown, or another file, to be downloaded. It never changes."""
    content = read_lesson_file(slug, version, name)
    if content is None:
        raise Http404("no such file")
    response = HttpResponse(content, content_type=content_type_of(name))
    if not response.headers["Content-Type"].startswith("image/"):
        response.headers["Content-Disposition"] = "attachment"
    patch_cache_control(response, public=True, max_age=FILE_MAX_AGE_S, immutable=True)
    return response


@require_POST
def track_choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Keeps the reader's language for every lesson, and goes back to this one."""
    track = request.POST.get("track", "")
    if track not in [known.id for known in _lesson_or_404(slug).tracks]:
        raise Http404("no such track")
    response = redirect("course:lesson-detail", slug=slug)
    response.set_cookie(
        COOKIE,
        track,
        max_age=COOKIE_MAX_AGE_S,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


@login_required
@require_safe
def guide_detail(request: HttpRequest, slug: str) -> HttpResponse:
    lesson = _lesson_or_404(slug)
    if not request.user.has_perm("course.view_guide"):
        raise PermissionDenied(_("The teacher guide is for teachers of a class."))
    return render(request, "course/guide_detail.html", {"lesson": lesson})


@login_required_on_lesson
@require_POST
def gap_save(request: HttpRequest, slug: str, gap_id: str) -> HttpResponse:
    """Saves one gap as it is typed; answers with the words to show beside it."""
    lesson = _lesson_or_404(slug)
    text = _sent_cells(request, lesson, field_of_gap).get(gap_id)
    if text is None:
        raise Http404("no such gap")
    reader, shown = signed_in(request), _sent_cells(request, lesson, field_of_shown).get(gap_id)
    refusal: Refused | None = None
    try:
        save_answer(user=reader, lesson=lesson, gap_id=gap_id, text=text, shown=shown)
    except Refused as error:
        refusal = error
    context = {
        "gap_id": gap_id,
        "status": _("saved"),
        "refusal": refusal,
        "progress": progress_of(as_read_by(request, lesson), reader),
        "is_update": True,
    }
    return render(request, "course/gap_saved.html", context)


@login_required_on_lesson
@require_POST
def answers_save(request: HttpRequest, slug: str) -> HttpResponse:
    """Saves every gap of the page at once: the Save button of readers without script."""
    lesson = _lesson_or_404(slug)
    texts = _sent_cells(request, lesson, field_of_gap)
    shown = _sent_cells(request, lesson, field_of_shown)
    context: dict[str, object] = {"lesson": lesson}
    try:
        overtaken = save_answers(user=signed_in(request), lesson=lesson, texts=texts, shown=shown)
    except Refused as refusal:
        return render(request, "course/answers_refused.html", context | {"refusal": refusal})
    if overtaken:
        context["cells"] = [
            {
                "gap": lesson.gaps[each.gap_id],
                "field": field_of_gap(each.gap_id),
                "shown_field": field_of_shown(each.gap_id),
                "theirs": each.stored,
                "mine": texts[each.gap_id],
            }
            for each in overtaken
        ]
        return render(request, "course/answers_overtaken.html", context)
    return redirect(reverse("course:lesson-detail", args=[slug]) + "?saved#answers-saved")


@login_required
@require_safe
def block_detail(request: HttpRequest, slug: str, block_id: str) -> HttpResponse:
    """The block as it stands now: asked for when its run has ended."""
    lesson, block = _block_or_404(slug, block_id)
    return _render_block(request, lesson, block)


@login_required_on_lesson
@require_POST
def block_run(request: HttpRequest, slug: str, block_id: str) -> HttpResponse:
    """Asks for a run of the block, once for each key that a page was given."""
    lesson, block = _block_or_404(slug, block_id)
    try:
        run = request_run(
            owner=signed_in(request),
            key=_key_or_404(request),
            line=block.command,
            origin=origin_of(lesson, block),
            origin_version=lesson.version,
            time_limit_s=block.time_limit_s,
            terminal=_terminal_or_404(request),
        )
    except Refused as refusal:
        return _render_block(request, lesson, block, refusal=str(refusal))
    if wants_fragment(request):
        return HttpResponse(block_html(lesson, judged(block, run), get_token(request)))
    return redirect(reverse("course:lesson-detail", args=[slug]) + f"#block-{block_id}")


@login_required
@require_safe
def block_run_list(request: HttpRequest, slug: str, block_id: str) -> HttpResponse:
    """The reader's runs of one block: the newest whole, the older ones as links."""
    lesson, block = _block_or_404(slug, block_id)
    runs = Run.objects.filter(owner=signed_in(request), origin=origin_of(lesson, block))
    views = [
        view_of_run(run) for run in runs.newest_first().prefetch_related("chunks")[:RUNS_SHOWN]
    ]
    outcomes = outcomes_of([(block, view) for view in views])
    context = {
        "lesson": lesson,
        "part": BlockView(block),
        "runs": list(zip(views, outcomes, strict=True)),
        "older_runs": older_than_shown(runs),
    }
    return render(request, "course/block_run_list.html", context)


def _render_block(
    request: HttpRequest, lesson: Lesson, block: Block, *, refusal: str = ""
) -> HttpResponse:
    reader = signed_in(request)
    part = block_view(lesson, block, reader, refusal=refusal)
    progress = progress_of(as_read_by(request, lesson), reader)
    context = {
        "lesson": lesson,
        "part": part,
        "block_html": block_html(lesson, part, get_token(request)),
        "left": left_html(progress, is_update=True),
    }
    template = "course/block_update.html" if wants_fragment(request) else "course/block_detail.html"
    return render(request, template, context)


def _lesson_or_404(slug: str) -> Lesson:
    lesson = get_lesson(slug)
    if lesson is None:
        raise Http404("no such lesson")
    return lesson


def _block_or_404(slug: str, block_id: str) -> tuple[Lesson, Block]:
    lesson = _lesson_or_404(slug)
    if block_id not in lesson.blocks:
        raise Http404("no such block")
    return lesson, lesson.blocks[block_id]


def _sent_cells(
    request: HttpRequest, lesson: Lesson, field_of: Callable[[str], str]
) -> dict[str, str]:
    """Gap id → what was sent of it, with line ends as the reader's cell counts them."""
    sent = {gap_id: request.POST.get(field_of(gap_id)) for gap_id in lesson.gaps}
    return {gap_id: text.replace("\r\n", "\n") for gap_id, text in sent.items() if text is not None}


def _terminal_or_404(request: HttpRequest) -> uuid.UUID | None:
    """The terminal that the reader wants it typed into; mostly none."""
    text = request.POST.get("terminal")
    try:
        return uuid.UUID(text) if text else None
    except ValueError as error:
        raise Http404("a terminal has an id") from error


def _key_or_404(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("key", ""))
    except ValueError as error:
        raise Http404("a run needs the key of its press") from error
