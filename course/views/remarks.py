"""What students ask about their marks, and the lines that teachers mark with again and again."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from course import remarks
from course.assignments import steps_of_assignment
from course.models import Assignment, Mark, Remark
from course.people import signed_in
from course.steps import read_points
from course.views.handins import show_receipt
from course.views.of_assignment import assignment_or_404, frame_of, handin_or_404
from course.views.of_class import carry_out
from labs.refusal import Refused


@login_required
@require_POST
def remark_ask(request: HttpRequest, handin_id: int) -> HttpResponse:
    """By the student whose it is. A no is shown with what was typed, as on all pages here."""
    handin = handin_or_404(request, handin_id)
    if handin.student_id != signed_in(request).pk or not handin.is_sealed:
        raise Http404("only one's own")
    step, wish = request.POST.get("step", ""), request.POST.get("wish", "")
    try:
        remarks.ask_remark(handin=handin, step=step, wish=wish)
    except Refused as no:
        return show_receipt(request, handin, refusal=str(no), refused_step=step, typed=wish)
    said = _("Asked. Your teacher answers here; your mark stays until then.")
    messages.success(request, said)
    return redirect("course:handin-detail", handin_id=handin_id)


@login_required
@require_safe
def remark_list(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """What was asked, with the mark it is about; open ones first."""
    assignment = assignment_or_404(request, assignment_id, "mark_work")
    return _show_remarks(request, assignment)


def _show_remarks(request: HttpRequest, assignment: Assignment, **more: object) -> HttpResponse:
    asked = Remark.objects.of_assignment(assignment).order_by("-state", "asked_at")
    found = list(asked.select_related("handin__student", "answered_by"))
    marks = Mark.objects.filter(handin__in=[remark.handin_id for remark in found])
    by_place = {(mark.handin_id, mark.step): mark for mark in marks}
    labels = {step.id: step.label for step in steps_of_assignment(assignment)}
    lines = [
        (
            remark,
            labels.get(remark.step, remark.step),
            by_place.get((remark.handin_id, remark.step)),
        )
        for remark in found
    ]
    context = frame_of(request, assignment) | {"lines": lines} | more
    return render(request, "course/remark_list.html", context)


@login_required
@require_POST
def remark_answer(request: HttpRequest, remark_id: int) -> HttpResponse:
    asked = Remark.objects.select_related("handin__assignment__classroom")
    remark = get_object_or_404(asked, pk=remark_id)
    assignment = assignment_or_404(request, remark.handin.assignment_id, "mark_work")
    answer = request.POST.get("answer", "")
    try:
        remarks.answer_remark(remark=remark, answer=answer, teacher=signed_in(request))
    except Refused as no:
        refused = {"refusal": str(no), "refused": remark.pk, "typed": answer}
        return _show_remarks(request, assignment, **refused)
    messages.success(request, _("Answered. The student sees it beside the mark."))
    return redirect("course:remark-list", assignment_id=assignment.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rubric(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """The lines of each step; a POST adds one, or removes the one that `line` names."""
    assignment = assignment_or_404(request, assignment_id, "mark_work")
    if request.method == "POST":
        if line := request.POST.get("line", ""):
            found = assignment.rubric.filter(pk=int(line) if line.isdigit() else 0)
            for known in found.select_related("assignment__classroom"):
                carry_out(request, partial(remarks.remove_rubric_line, known))
        else:
            return _add_line(request, assignment)
        return redirect("course:rubric", assignment_id=assignment_id)
    return _show_rubric(request, assignment, chosen=request.GET.get("step", ""))


def _show_rubric(request: HttpRequest, assignment: Assignment, **more: object) -> HttpResponse:
    lines, steps = list(assignment.rubric.all()), steps_of_assignment(assignment)
    context = frame_of(request, assignment) | {
        "rows": [(step, [line for line in lines if line.step == step.id]) for step in steps],
        "groups": assignment.groups.filter(undone_at=None)
        .select_related("made_by")
        .annotate(size=Count("entries")),
    }
    return render(request, "course/rubric.html", context | more)


def _add_line(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    wanted = request.POST.get("step", "")
    step = next((s for s in steps_of_assignment(assignment) if s.id == wanted), None)
    if step is None:
        raise Http404("no such step")
    typed = {name: request.POST.get(name, "") for name in ("points", "comment")}
    try:
        remarks.add_rubric_line(
            assignment=assignment,
            step=step,
            hundredths=read_points(typed["points"]),
            comment=typed["comment"],
        )
    except Refused as no:
        refused = {"refusal": str(no), "chosen": step.id, "typed": typed}
        return _show_rubric(request, assignment, **refused)
    messages.success(request, _("Added. Its digit gives it while you mark."))
    return redirect("course:rubric", assignment_id=assignment.pk)
