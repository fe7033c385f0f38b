"""Marking by hand: one answer after the other, equal answers at once, and a changed key."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from course import equal_answers, marks, new_keys
from course.assignments import steps_of_assignment
from course.marking_page import marking_page
from course.marking_queue import Queue, Spot, Way, queue_of, read_way
from course.models import Assignment, Group, Mark
from course.people import signed_in
from course.sealing import seal_all_ready
from course.steps import Step, read_points, show_points
from course.views.of_assignment import assignment_or_404, frame_of
from labs.audit import note_view
from labs.fragments import wants_fragment
from labs.refusal import Refused


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def marking(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """One answer with its form. What is sent marks it and answers with the next."""
    assignment = assignment_or_404(request, assignment_id, "mark_work")
    way, steps = read_way(request.GET.dict()), steps_of_assignment(assignment)
    if request.method == "POST":
        return _give(request, assignment, steps, way)
    seal_all_ready(assignment)
    queue = queue_of(assignment, steps, way)
    return _show(request, assignment, steps, queue, queue.at(_number(request.GET.get("mark"))))


def _show(
    request: HttpRequest,
    assignment: Assignment,
    steps: list[Step],
    queue: Queue,
    spot: Spot | None,
    **more: Any,
) -> HttpResponse:
    page = marking_page(assignment, steps, queue, spot)
    if page.mark:
        note_view(viewer=request.user, owner=page.mark.handin.student)
    context = frame_of(request, assignment) | {"page": page, "way": queue.way} | more
    template = "_marking.html" if wants_fragment(request) else "marking.html"
    response = render(request, f"course/{template}", context)
    if wants_fragment(request):
        response["HX-Push-Url"] = _address(assignment, queue.way, spot)
    return response


def _give(
    request: HttpRequest, assignment: Assignment, steps: list[Step], way: Way
) -> HttpResponse:
    """Gives the points and goes on; a no is shown at the same answer, with what was typed."""
    mark = _mark_or_404(assignment, request.POST.get("mark"))
    step = next((step for step in steps if step.id == mark.step), None)
    if step is None:
        raise Http404("this step is no longer marked")
    deed, comment = request.POST.get("give", ""), request.POST.get("comment", "").strip()
    points = _points_sent(request, step)
    if deed.startswith("same-"):
        return _ask_for_same(request, assignment, way, mark, points, comment)
    queue = queue_of(assignment, steps, way)
    spot = queue.at(mark.pk)
    try:
        marks.give_mark(
            mark=mark,
            maximum=step.maximum,
            version=_number(request.POST.get("version")) or 0,
            hundredths=points,
            comment=comment,
            marker=signed_in(request),
        )
    except Refused as no:
        typed = {"points": request.POST.get("points", ""), "comment": comment}
        return _show(request, assignment, steps, queue, spot, refusal=str(no), typed=typed)
    given = _("Given: %(points)s of %(most)s.") % {
        "points": show_points(points or 0),
        "most": step.points,
    }
    return _go_on(request, assignment, steps, way, mark.pk, given)


def _go_on(
    request: HttpRequest,
    assignment: Assignment,
    steps: list[Step],
    way: Way,
    mark: int,
    given: str,
) -> HttpResponse:
    queue = queue_of(assignment, steps, way)
    here = queue.at(mark)
    spot = queue.after(here) if here else queue.at(None)
    if wants_fragment(request):
        return _show(request, assignment, steps, queue, spot, given=given)
    messages.success(request, given)
    return redirect(_address(assignment, way, spot))


def _ask_for_same(
    request: HttpRequest,
    assignment: Assignment,
    way: Way,
    mark: Mark,
    points: int | None,
    comment: str,
) -> HttpResponse:
    """On to the page that shows who would change. htmx is told to load it whole."""
    address = reverse("course:same-answers", args=[assignment.pk])
    shown = "" if points is None else show_points(points)
    sent = {"mark": str(mark.pk), "points": shown, "comment": comment}
    target = f"{address}?{way.query}&{urlencode(sent)}"
    if wants_fragment(request):
        return HttpResponse(headers={"HX-Redirect": target})
    return redirect(target)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def same_answers(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Who wrote the same and would change; then makes it so."""
    assignment = assignment_or_404(request, assignment_id, "mark_work")
    sent = request.POST if request.method == "POST" else request.GET
    mark = _mark_or_404(assignment, sent.get("mark"))
    way, steps = read_way(request.GET.dict()), steps_of_assignment(assignment)
    step = next((step for step in steps if step.id == mark.step), None)
    if step is None:
        raise Http404("this step is no longer marked")
    refusal, plan = "", None
    try:
        points = marks.allowed_points(read_points(sent.get("points", "")), step.maximum)
        comment = sent.get("comment", "").strip()
        marks.refuse_long(comment)
        plan = equal_answers.plan_group(mark, points, comment)
        if request.method == "POST":
            return _mark_same(request, assignment, plan, way, mark.pk)
    except Refused as no:
        refusal = str(no)
    page = marking_page(assignment, steps, queue_of(assignment, steps, way), _spot_of(mark))
    context = frame_of(request, assignment)
    context |= {"plan": plan, "step": step, "way": way, "refusal": refusal, "page": page}
    return render(request, "course/same_answers.html", context)


def _mark_same(
    request: HttpRequest, assignment: Assignment, plan: Any, way: Way, mark: int
) -> HttpResponse:
    group = equal_answers.apply_group(
        plan, fingerprint=request.POST.get("fingerprint", ""), marker=signed_in(request)
    )
    said = ngettext(
        "%(count)s answer marked together.", "%(count)s answers marked together.", len(plan.changes)
    ) % {"count": len(plan.changes)}
    messages.success(request, said)
    queue = queue_of(assignment, steps_of_assignment(assignment), way)
    here = queue.at(mark)
    spot = queue.after(here) if here else queue.at(None)
    return redirect(f"{_address(assignment, way, spot)}&undo={group.pk}")


@login_required
@require_POST
def same_answers_undo(request: HttpRequest, assignment_id: int) -> HttpResponse:
    assignment = assignment_or_404(request, assignment_id, "mark_work")
    groups = Group.objects.filter(assignment=assignment).select_related("assignment__classroom")
    group = get_object_or_404(groups, pk=_uuid_or_404(request.POST.get("group", "")))
    try:
        count = equal_answers.undo_group(group, marker=signed_in(request))
    except Refused as no:
        messages.error(request, str(no))
    else:
        said = ngettext(
            "Undone: %(count)s mark is as it was before. Marks changed since then stay.",
            "Undone: %(count)s marks are as they were before. Marks changed since then stay.",
            count,
        )
        messages.success(request, said % {"count": count})
    return redirect(_address(assignment, read_way(request.GET.dict()), None))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_key(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Who would change by today's version of the lesson; then marks everybody by it."""
    assignment = assignment_or_404(request, assignment_id, "release_marks")
    lesson = new_keys.newer_lesson(assignment)
    plan = new_keys.plan_new_key(assignment, lesson) if lesson else None
    refusal = ""
    if request.method == "POST" and plan:
        try:
            count = new_keys.apply_new_key(
                assignment,
                plan,
                fingerprint=request.POST.get("fingerprint", ""),
                marker=signed_in(request),
            )
        except Refused as no:
            refusal = str(no)
        else:
            messages.success(
                request, _("Marked again by the new key: %(count)s changed.") % {"count": count}
            )
            return redirect("course:assignment-detail", assignment_id=assignment_id)
    context = frame_of(request, assignment) | {"plan": plan, "refusal": refusal}
    return render(request, "course/new_key.html", context)


def _mark_or_404(assignment: Assignment, pk: str | None) -> Mark:
    found = Mark.objects.filter(handin__assignment=assignment).select_related(
        "handin__assignment__classroom", "handin__student", "marked_by"
    )
    return get_object_or_404(found, pk=_number(pk) or 0)


def _points_sent(request: HttpRequest, step: Step) -> int | None:
    """What the pressed button gives: its own points, or those that were typed."""
    given = request.POST.get("give", "")
    if given in ("full", "same-full"):
        return step.maximum
    if given in ("none", "same-none"):
        return 0
    return read_points(request.POST.get("points", ""))


def _spot_of(mark: Mark) -> Spot:
    return Spot(mark.pk, mark.handin_id, mark.step, mark.verdict, mark.cause)


def _address(assignment: Assignment, way: Way, spot: Spot | None) -> str:
    address = f"{reverse('course:marking', args=[assignment.pk])}?{way.query}"
    return f"{address}&mark={spot.mark}" if spot else address


def _uuid_or_404(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise Http404("no such group") from error


def _number(text: str | None) -> int | None:
    text = text or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
