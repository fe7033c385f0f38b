"""Lessons set for a class: by its teachers set and changed, by everybody in it opened."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from course import assignments
from course.assignment_forms import AssignmentForm, ExtensionForm
from course.assignments import CHANGEABLE
from course.gradebook import figures, rows_of
from course.handins import attempts_left, next_attempt
from course.lessons.model import Lesson
from course.library import get_lesson, list_lessons
from course.models import Assignment, Classroom, Remark
from course.new_keys import newer_lesson
from course.people import signed_in
from course.permissions import rights_in
from course.sealing import not_kept, seal_all_ready
from course.seen import ChangedMeanwhile, seen_of
from course.steps import Step, all_steps
from course.todo import left_of, line_of
from course.views.of_assignment import assignment_or_404, frame_of
from course.views.of_class import carry_out, classroom_or_404
from labs.refusal import Refused


@login_required
@require_safe
def assignment_list(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk)
    context = {
        "classroom": classroom,
        "rights": rights_in(request.user, classroom),
        "assignments": classroom.assignments.with_counts(),
    }
    return render(request, "course/assignment_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_create(request: HttpRequest, pk: int) -> HttpResponse:
    """First the lesson is chosen, and its language if it has several; then dates and points."""
    classroom = classroom_or_404(request, pk, "set_assignments")
    frame = {"classroom": classroom, "rights": rights_in(request.user, classroom)}
    lesson = get_lesson(request.GET.get("lesson", ""))
    if lesson is None:
        return render(request, "course/assignment_choose.html", frame | {"lessons": list_lessons()})
    track = lesson.pick_track(request.GET.get("track", ""))
    steps = all_steps(lesson.for_track(track))
    form = AssignmentForm(request.POST or None, classroom=classroom, steps=steps)
    if request.method == "POST" and form.is_valid():
        try:
            return _set(request, classroom, lesson, form.fields_of_assignment | {"track": track})
        except Refused as no:
            form.add_error(None, str(no))
    context = frame | {"form": form, "lesson": lesson, "track": track}
    return render(request, "course/assignment_form.html", context)


def _set(
    request: HttpRequest, classroom: Classroom, lesson: Lesson, fields: dict[str, object]
) -> HttpResponse:
    made = assignments.set_assignment(
        classroom=classroom, lesson=lesson, teacher=signed_in(request), fields=fields
    )
    return redirect("course:assignment-detail", assignment_id=made.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_edit(request: HttpRequest, assignment_id: int) -> HttpResponse:
    assignment = assignment_or_404(request, assignment_id, "set_assignments")
    lesson = assignments.lesson_of(assignment)
    if lesson is None:
        raise Http404("the lesson is gone")
    steps = all_steps(lesson)
    form = _form_of(assignment, steps, request.POST or None)
    seen = request.POST.get("seen") or seen_of(assignment, CHANGEABLE)
    if request.method == "POST" and form.is_valid():
        try:
            _change(request, assignment, form)
            return redirect("course:assignment-detail", assignment_id=assignment_id)
        except ChangedMeanwhile as no:
            assignment.refresh_from_db(fields=CHANGEABLE)
            form.add_error(None, str(no))
            seen = seen_of(assignment, CHANGEABLE)
            _say_what_is_stored(form, _form_of(assignment, steps))
        except Refused as no:
            form.add_error(None, str(no))
    context = frame_of(request, assignment) | {"form": form, "lesson": lesson, "seen": seen}
    return render(request, "course/assignment_form.html", context)


def _form_of(
    assignment: Assignment, steps: Sequence[Step], sent: QueryDict | None = None
) -> AssignmentForm:
    classroom = assignment.classroom
    return AssignmentForm(sent, classroom=classroom, steps=steps, assignment=assignment)


def _say_what_is_stored(typed: AssignmentForm, stored: AssignmentForm) -> None:
    """Beside each field that is not as it was saved meanwhile."""
    words = {"True": _("on"), "False": _("off"), "None": "–"}
    words |= {value: str(label) for value, label in Assignment.Late.choices}
    for name in typed.fields:
        value = stored[name].value()
        value, sent = ("None" if v in ("", None) else str(v) for v in (value, typed[name].value()))
        if value != sent:
            shown = words.get(value, value.replace("T", " "))
            typed.add_error(name, _("Saved meanwhile: %(value)s") % {"value": shown})


def _change(request: HttpRequest, assignment: Assignment, form: AssignmentForm) -> None:
    assignments.change_assignment(
        assignment=assignment,
        fields=form.fields_of_assignment,
        seen=request.POST.get("seen", ""),
        actor=signed_in(request),
    )


@login_required
@require_safe
def assignment_detail(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """For those who teach: how far the class is. For a student: what is left, and hand in."""
    assignment = get_object_or_404(Assignment.objects.select_related("classroom"), pk=assignment_id)
    if request.user.has_perm("course.view_work", assignment.classroom):
        return _for_teachers(request, assignment)
    if request.user.has_perm("course.attend_classroom", assignment.classroom):
        return _for_student(request, assignment)
    raise Http404("no such assignment")


def _for_teachers(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    seal_all_ready(assignment)
    rows = rows_of(assignment)
    context = frame_of(request, assignment) | {
        "figures": figures(rows, assignment.maximum * 100),
        "newer": newer_lesson(assignment),
        "extensions": assignment.extensions.select_related("student", "given_by"),
        "extension_form": ExtensionForm(assignment=assignment),
        "not_kept": not_kept(assignment),
        "asked": Remark.objects.of_assignment(assignment).filter(state=Remark.State.OPEN).count(),
    }
    return render(request, "course/assignment_detail.html", context)


def _for_student(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    student, now = signed_in(request), timezone.now()
    extension = assignment.extensions.filter(student=student).first()
    mine = list(assignment.handins.filter(student=student).newest_first())
    standing = next((h for h in mine if h.state in ("handed_in", "collecting")), None)
    line = line_of(assignment, extension, standing, now)
    lesson = assignments.lesson_of(assignment)
    left = attempts_left(assignment, student)
    context = {
        "assignment": assignment,
        "line": line,
        "extension": extension,
        "handins": mine,
        "lesson": lesson,
        "left": left_of(assignment, lesson, student) if lesson else None,
        "attempt": next_attempt(assignment, student),
        "attempts_left": left,
        "can_hand_in": lesson is not None
        and left != 0
        and line.dates.opens_at <= now
        and not line.dates.is_closed(now)
        and not assignment.classroom.is_archived,
        "is_late": now > line.dates.due_at,
    }
    return render(request, "course/assignment_todo.html", context)


@login_required
@require_POST
def assignment_delete(request: HttpRequest, assignment_id: int) -> HttpResponse:
    assignment = assignment_or_404(request, assignment_id, "set_assignments")
    deed = partial(assignments.delete_assignment, assignment, actor=signed_in(request))
    if carry_out(request, deed, _("The assignment is deleted. The lesson itself is still there.")):
        return redirect("course:assignment-list", pk=assignment.classroom_id)
    return redirect("course:assignment-detail", assignment_id=assignment_id)


@login_required
@require_POST
def extension_give(request: HttpRequest, assignment_id: int) -> HttpResponse:
    assignment = assignment_or_404(request, assignment_id, "set_assignments")
    form = ExtensionForm(request.POST, assignment=assignment)
    if not form.is_valid():
        return _show_extension(request, assignment, form)
    name = form.cleaned_data["student"].shown_name
    try:
        assignments.give_extension(
            assignment=assignment, teacher=signed_in(request), **form.cleaned_data
        )
    except Refused as no:
        form.add_error("due_at", str(no))
        return _show_extension(request, assignment, form)
    messages.success(request, _("%(name)s has more time now.") % {"name": name})
    return redirect("course:assignment-detail", assignment_id=assignment_id)


def _show_extension(
    request: HttpRequest, assignment: Assignment, form: ExtensionForm
) -> HttpResponse:
    context = frame_of(request, assignment) | {"extension_form": form}
    return render(request, "course/extension_give.html", context)


@login_required
@require_POST
def extension_take_back(request: HttpRequest, assignment_id: int) -> HttpResponse:
    assignment = assignment_or_404(request, assignment_id, "set_assignments")
    given = assignment.extensions.select_related("student")
    extension = get_object_or_404(given, student__username=request.POST.get("username", ""))
    deed = partial(
        assignments.take_back_extension,
        assignment=assignment,
        student=extension.student,
        actor=signed_in(request),
    )
    carry_out(request, deed)
    return redirect("course:assignment-detail", assignment_id=assignment_id)


@login_required
@require_POST
def marks_release(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Shows the marks to the students, or hides them again with `released=no`."""
    assignment = assignment_or_404(request, assignment_id, "release_marks")
    released = request.POST.get("released") != "no"
    deed = partial(
        assignments.release_marks, assignment, released=released, actor=signed_in(request)
    )
    carry_out(request, deed)
    return redirect("course:assignment-detail", assignment_id=assignment_id)
