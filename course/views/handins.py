"""What students have to do, and what they handed in."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from course import handins
from course.assignments import dates_for, lateness_of, lesson_of, steps_of_assignment
from course.classrooms import attends
from course.lateness import penalty
from course.manifests import Damaged, canonical, read_content
from course.marks import marks_by_step
from course.models import HandIn
from course.people import signed_in
from course.sealing import seal_if_ready
from course.todo import handed_in_elsewhere, todo_of
from course.views.of_assignment import assignment_or_404, handin_or_404
from labs.audit import note_view
from labs.fragments import wants_fragment
from labs.recordings import clock
from labs.refusal import Refused

SAME_PRESS = timedelta(minutes=1)
"""A browser that got no answer sends a press again; whoever comes later has an old page."""


@login_required
@require_safe
def todo(request: HttpRequest) -> HttpResponse:
    student = signed_in(request)
    lines = todo_of(student, timezone.now())
    context = {"lines": lines, "earlier": handed_in_elsewhere(student, lines)}
    return render(request, "course/todo.html", context)


@login_required
@require_POST
def hand_in_now(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Once for each attempt's number, however often it is pressed."""
    assignment = assignment_or_404(request, assignment_id, "attend_classroom")
    if not attends(signed_in(request), assignment.classroom):
        raise Http404("an admin may see everything, but is no student")
    sent = request.POST.get("attempt", "")
    attempt = int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 7 else 0
    try:
        handin = handins.hand_in(student=signed_in(request), assignment=assignment, attempt=attempt)
    except Refused as no:
        messages.error(request, str(no))
        return redirect("course:assignment-detail", assignment_id=assignment_id)
    _warn_of_old_page(request, handin)
    return redirect("course:handin-detail", handin_id=handin.pk)


def _warn_of_old_page(request: HttpRequest, handin: HandIn) -> None:
    """A page from before a hand-in looks as if it handed in anew; a press sent twice doesn't."""
    if timezone.now() - handin.handed_in_at < SAME_PRESS:
        return
    clock = timezone.localtime(handin.handed_in_at, handin.assignment.zone)
    said = _(
        "Attempt %(number)s was made on %(when)s, so this press handed in nothing new. What you "
        "wrote and ran since then is kept, but not handed in: open the assignment again and press "
        "“Hand in” there."
    )
    when = date_format(clock, _("j M, H:i"))
    messages.warning(request, said % {"number": handin.attempt, "when": when})


@login_required
@require_safe
def handin_detail(request: HttpRequest, handin_id: int) -> HttpResponse:
    """The receipt, and the marks once they are released. Everything is hashed anew for it."""
    handin = seal_if_ready(handin_or_404(request, handin_id))
    note_view(viewer=request.user, owner=handin.student)
    if handin.state == HandIn.State.COLLECTING:
        template = "_handin_waits.html" if wants_fragment(request) else "handin_waits.html"
        has_lesson = lesson_of(handin.assignment) is not None
        return render(request, f"course/{template}", {"handin": handin, "has_lesson": has_lesson})
    if wants_fragment(request):
        # The waiting page asked: it is to become one of these.
        return HttpResponse(headers={"HX-Refresh": "true"})
    if handin.state == HandIn.State.FAILED:
        is_own = handin.student_id == signed_in(request).pk
        return render(request, "course/handin_failed.html", {"handin": handin, "is_own": is_own})
    return show_receipt(request, handin)


def show_receipt(request: HttpRequest, handin: HandIn, **more: object) -> HttpResponse:
    """The page of a hand-in that is sealed."""
    context = _receipt(handin) | _marks(request, handin) | more
    context["is_here"] = not context["is_own"] or _is_in_class(handin)
    return render(request, "course/handin_detail.html", context)


def _is_in_class(handin: HandIn) -> bool:
    """Who has left keeps what they handed in, but the assignment is no longer theirs."""
    return attends(handin.student, handin.assignment.classroom)


def _receipt(handin: HandIn) -> dict[str, Any]:
    """What was handed in, as far as it is as it was."""
    assignment = handin.assignment
    dates = dates_for(assignment, handin.student)
    common = {
        "handin": handin,
        "assignment": assignment,
        "late": lateness_of(assignment, dates, handin.handed_in_at),
        "can_withdraw": handin.state == HandIn.State.HANDED_IN
        and timezone.now() <= dates.due_at
        and not assignment.classroom.is_archived,
    }
    try:
        manifest = handins.read_manifest(handin)
    except Damaged:
        return common | {"is_damaged": True}
    return common | {
        "manifest": manifest,
        "content": read_content(manifest),
        "recordings": [
            {
                "id": each["id"],
                "opened_at": datetime.fromisoformat(each["opened_at"]),
                "clock": clock(each["seconds"]),
            }
            for each in manifest.get("recordings", ())
        ],
    }


def _marks(request: HttpRequest, handin: HandIn) -> dict[str, Any]:
    """For the student only once they are released."""
    is_own = handin.student_id == signed_in(request).pk
    context = {"is_own": is_own, "shows_marks": handin.assignment.is_released or not is_own}
    steps, marks = steps_of_assignment(handin.assignment), marks_by_step(handin)
    asked = {remark.step: remark for remark in handin.remarks.select_related("answered_by")}
    late = lateness_of(
        handin.assignment, dates_for(handin.assignment, handin.student), handin.handed_in_at
    )
    lost = penalty(handin.earned, late)
    return context | {
        "lines": [(step, marks.get(step.id), asked.get(step.id)) for step in steps],
        "lost": lost,
        "final": handin.earned - lost,
        "maximum": handin.assignment.maximum * 100,
    }


@login_required
@require_POST
def handin_withdraw(request: HttpRequest, handin_id: int) -> HttpResponse:
    handin = handin_or_404(request, handin_id)
    if handin.student_id != signed_in(request).pk:
        raise Http404("only one's own")
    try:
        counts = handins.withdraw(handin, now=timezone.now())
    except Refused as no:
        messages.error(request, str(no))
    else:
        messages.success(request, _withdrawn(counts))
    if _is_in_class(handin):
        return redirect("course:assignment-detail", assignment_id=handin.assignment_id)
    return redirect("course:handin-detail", handin_id=handin.pk)


def _withdrawn(counts: HandIn | None) -> str:
    if counts is None:
        return _("Withdrawn: it no longer counts. You can still read it here, and hand in anew.")
    said = _(
        "Withdrawn: it no longer counts, and attempt %(number)s counts again. You can still read "
        "both here, and hand in anew."
    )
    return said % {"number": counts.attempt}


@login_required
@require_safe
def handin_manifest(request: HttpRequest, handin_id: int) -> HttpResponse:
    """The very bytes that the receipt's hash is of."""
    handin = handin_or_404(request, handin_id)
    try:
        data = canonical(handins.read_manifest(handin)) if handin.is_sealed else None
    except Damaged:
        data = None
    if data is None:
        raise Http404("not handed in yet, or damaged")
    note_view(viewer=request.user, owner=handin.student)
    response = HttpResponse(data, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="hand-in-{handin.pk}.json"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
