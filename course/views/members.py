"""Who is in a class and who waits to be: let in, invited, given a role, removed."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from course.accounts import resettable
from course.classroom_forms import InvitationForm, RoleForm
from course.classrooms import change_role, end_membership, role_in
from course.invitations import (
    accept_invitation,
    decline_invitation,
    invite,
    withdraw_invitation,
)
from course.joining import answer_request
from course.models import Classroom, Invitation, Membership, User
from course.people import signed_in
from course.permissions import rights_in
from course.views.of_class import carry_out, classroom_or_404


@login_required
@require_safe
def member_list(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "manage_classroom")
    members = classroom.memberships.students().select_related("user").order_by("user__username")
    context = {
        "classroom": classroom,
        "rights": rights_in(request.user, classroom),
        "students": members.current(),
        "past": members.exclude(left_at=None),
        "teachers": classroom.teachers(),
        "asked": classroom.join_requests.select_related("user"),
        "invitations": classroom.invitations.select_related("user"),
        "form": InvitationForm(),
        "resettable": set(resettable(classroom).values_list("pk", flat=True)),
        "roles": InvitationForm().fields["role"],
    }
    return render(request, "course/member_list.html", context)


@login_required
@require_POST
def member_remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Of students by all who manage the class; of those who teach by its owners."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    user = _member_or_404(classroom, request)
    if role_in(classroom, user) in Membership.TEACHING:
        classroom_or_404(request, pk, "own_classroom")
    carry_out(
        request,
        lambda: end_membership(classroom, actor=signed_in(request), user=user),
        _("%(name)s is no longer in this class. Their account and their work are kept.")
        % {"name": user.shown_name},
    )
    return redirect("course:member-list", pk=pk)


@login_required
@require_POST
def member_role(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "own_classroom")
    user = _member_or_404(classroom, request)
    form = RoleForm(request.POST)
    if form.is_valid():
        role = form.cleaned_data["role"]
        carry_out(
            request,
            lambda: change_role(classroom, actor=signed_in(request), user=user, role=role),
            _("%(name)s is now %(role)s.")
            % {"name": user.shown_name, "role": Membership.Role(role).label},
        )
    return redirect("course:member-list", pk=pk)


@login_required
@require_POST
def request_answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Lets in, or doesn't, somebody who typed the code."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    username = request.POST.get("username", "")
    accept = request.POST.get("answer") == "yes"
    said = _("%(name)s is in the class now.") if accept else _("%(name)s was not let in.")
    carry_out(
        request,
        lambda: answer_request(
            classroom, actor=signed_in(request), username=username, accept=accept
        ),
        said % {"name": username},
    )
    return redirect("course:member-list", pk=pk)


@login_required
@require_POST
def invitation_create(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "own_classroom")
    form = InvitationForm(request.POST)
    if form.is_valid():
        carry_out(
            request,
            lambda: invite(classroom, actor=signed_in(request), **form.cleaned_data),
            _("Invited. They find it under “My classes” and say yes or no there."),
        )
    return redirect("course:member-list", pk=pk)


@login_required
@require_POST
def invitation_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "own_classroom")
    invitation = classroom.invitations.filter(user__username=request.POST.get("username", ""))
    for found in invitation.select_related("classroom", "user"):
        carry_out(request, partial(withdraw_invitation, found, actor=signed_in(request)))
    return redirect("course:member-list", pk=pk)


@login_required
@require_POST
def invitation_answer(request: HttpRequest, pk: int) -> HttpResponse:
    """By the one who was invited; `pk` is the class."""
    mine = Invitation.objects.select_related("classroom", "user")
    invitation = get_object_or_404(mine, classroom_id=pk, user=signed_in(request))
    name = invitation.classroom.name
    if request.POST.get("answer") == "yes":
        done = _("You help to teach %(name)s now.") % {"name": name}
        carry_out(request, lambda: accept_invitation(invitation), done)
    else:
        decline_invitation(invitation)
    return redirect("course:classroom-list")


def _member_or_404(classroom: Classroom, request: HttpRequest) -> User:
    """Those who have left are found as well: removed already is success."""
    members = User.objects.filter(memberships__classroom=classroom)
    return get_object_or_404(members, username=request.POST.get("username", ""))
