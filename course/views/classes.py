"""A person's classes, and those who teach them: made, kept, archived."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from course.classroom_forms import ClassroomForm, NewClassroomForm
from course.classrooms import (
    archive_classroom,
    change_classroom,
    create_classroom,
    end_membership,
    unarchive_classroom,
)
from course.library import list_lessons
from course.models import Classroom, HelpRequest, Invitation, JoinRequest
from course.people import signed_in
from course.permissions import rights_in
from course.review import lesson_work, students_with_counts
from course.views.of_class import carry_out, classroom_or_404
from labs.audit import note_view


@login_required
@require_safe
def classroom_list(request: HttpRequest) -> HttpResponse:
    reader = signed_in(request)
    taught = list(Classroom.objects.taught_by(reader).with_counts())
    context = {
        "taught": [classroom for classroom in taught if not classroom.is_archived],
        "archived": [classroom for classroom in taught if classroom.is_archived],
        "attended": Classroom.objects.attended_by(reader),
        "asked": JoinRequest.objects.filter(user=reader).select_related("classroom"),
        "invitations": Invitation.objects.filter(user=reader).select_related(
            "classroom", "invited_by"
        ),
        "may_add": reader.has_perm("course.add_classroom"),
    }
    return render(request, "course/classroom_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def classroom_create(request: HttpRequest) -> HttpResponse:
    reader = signed_in(request)
    if not reader.has_perm("course.add_classroom"):
        raise PermissionDenied(_("Only teachers make classes. An admin can make you one."))
    form = NewClassroomForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        classroom = create_classroom(teacher=reader, **form.cleaned_data)
        return redirect("course:classroom-detail", pk=classroom.pk)
    return render(request, "course/classroom_create.html", {"form": form})


@login_required
@require_safe
def classroom_detail(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk)
    context = {
        "classroom": classroom,
        "rights": rights_in(request.user, classroom),
        "students": students_with_counts(classroom),
        "waiting": _waiting(classroom),
    }
    return render(request, "course/classroom_detail.html", context)


def _waiting(classroom: Classroom) -> Iterable[HelpRequest]:
    if classroom.is_archived:
        return ()
    return HelpRequest.objects.waiting().in_classroom(classroom)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def classroom_settings(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "own_classroom")
    fields = {field: getattr(classroom, field) for field in ClassroomForm.base_fields}
    form = ClassroomForm(request.POST or None, initial=fields)
    if request.method == "POST" and form.is_valid():
        actor = signed_in(request)
        carry_out(
            request,
            lambda: change_classroom(classroom, actor=actor, **form.cleaned_data),
            _("Saved."),
        )
        return redirect("course:classroom-settings", pk=pk)
    context = {"classroom": classroom, "form": form, "rights": rights_in(request.user, classroom)}
    return render(request, "course/classroom_settings.html", context)


@login_required
@require_POST
def classroom_archive(request: HttpRequest, pk: int) -> HttpResponse:
    """Into the archive, or out of it again with `archived=no`."""
    classroom = classroom_or_404(request, pk, "own_classroom")
    actor = signed_in(request)
    if request.POST.get("archived") == "no":
        unarchive_classroom(classroom, actor=actor)
    else:
        archive_classroom(classroom, actor=actor)
    return redirect("course:classroom-settings", pk=pk)


@login_required
@require_POST
def classroom_leave(request: HttpRequest, pk: int) -> HttpResponse:
    reader = signed_in(request)
    mine = Classroom.objects.filter(memberships__user=reader, memberships__left_at=None)
    classroom = get_object_or_404(mine, pk=pk)
    carry_out(
        request,
        lambda: end_membership(classroom, actor=reader, user=reader),
        _("You left %(name)s. Your answers, runs and marks are kept.") % {"name": classroom.name},
    )
    return redirect("course:classroom-list")


@login_required
@require_safe
def student_work(request: HttpRequest, pk: int, username: str) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "view_work")
    student = get_object_or_404(classroom.students(), username=username)
    note_view(viewer=request.user, owner=student)
    until = classroom.archived_at
    works = [lesson_work(student, lesson, until) for lesson in list_lessons()]
    context = {"classroom": classroom, "student": student, "works": works}
    return render(request, "course/student_work.html", context)
