"""What students ask about their marks, and the lines that teachers mark with again and again."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from course import remarks
from course.assignments import steps_of_assignment
from course.models import Mark, Remark
from course.people import signed_in
from course.steps import read_points
from course.views.of_assignment import assignment_or_404, frame_of, handin_or_404
from course.views.of_class import carry_out


@login_required
@require_POST
def remark_ask(request: HttpRequest, handin_id: int) -> HttpResponse:
    """By the student whose it is."""
    handin = handin_or_404(request, handin_id)
    if handin.student_id != signed_in(request).pk:
        raise Http404("only one's own")
    deed = partial(
        remarks.ask_remark,
        handin=handin,
        step=request.POST.get("step", ""),
        wish=request.POST.get("wish", ""),
    )
    carry_out(request, deed, _("Asked. Your teacher answers here; your mark stays until then."))
    return redirect("course:handin-detail", handin_id=handin_id)


@login_required
@require_safe
def remark_list(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """What was asked, with the mark it is about; open ones first."""
    assignment = assignment_or_404(request, assignment_id, "mark_work")
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
    return render(
        request, "course/remark_list.html", frame_of(request, assignment) | {"lines": lines}
    )


@login_required
@require_POST
def remark_answer(request: HttpRequest, remark_id: int) -> HttpResponse:
    asked = Remark.objects.select_related("handin__assignment__classroom")
    remark = get_object_or_404(asked, pk=remark_id)
    assignment = assignment_or_404(request, remark.handin.assignment_id, "mark_work")
    answer = request.POST.get("answer", "")
    deed = partial(remarks.answer_remark, remark=remark, answer=answer, teacher=signed_in(request))
    carry_out(request, deed, _("Answered. The student sees it beside the mark."))
    return redirect("course:remark-list", assignment_id=assignment.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rubric(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """The lines of each step; a POST adds one, or removes the one that `line` names."""
    assignment = assignment_or_404(request, assignment_id, "mark_work")
    steps = steps_of_assignment(assignment)
    if request.method == "POST":
        if line := request.POST.get("line", ""):
            found = assignment.rubric.filter(pk=int(line) if line.isdigit() else 0)
            for known in found.select_related("assignment__classroom"):
                carry_out(request, partial(remarks.remove_rubric_line, known))
        else:
            _add_line(request, assignment_id)
        return redirect("course:rubric", assignment_id=assignment_id)
    lines = list(assignment.rubric.all())
    context = frame_of(request, assignment) | {
        "rows": [(step, [line for line in lines if line.step == step.id]) for step in steps],
        "chosen": request.GET.get("step", ""),
        "groups": assignment.groups.filter(undone_at=None)
        .select_related("made_by")
        .annotate(size=Count("entries")),
    }
    return render(request, "course/rubric.html", context)


def _add_line(request: HttpRequest, assignment_id: int) -> None:
    assignment = assignment_or_404(request, assignment_id, "mark_work")
    wanted = request.POST.get("step", "")
    step = next((s for s in steps_of_assignment(assignment) if s.id == wanted), None)
    if step is None:
        raise Http404("no such step")
    deed = partial(
        remarks.add_rubric_line,
        assignment=assignment,
        step=step,
        hundredths=read_points(request.POST.get("points", "")),
        comment=request.POST.get("comment", ""),
    )
    carry_out(request, deed, _("Added. Its digit gives it while you mark."))
