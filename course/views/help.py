"""A student asks for help; a teacher says that they came."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from course.classrooms import refuse_archived
from course.help import ask_help, end_help
from course.models import HelpRequest
from course.people import signed_in
from course.views.of_class import carry_out, classroom_or_404


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def help_ask(request: HttpRequest) -> HttpResponse:
    """Puts the student on the list of those who teach them, or takes them off with `withdraw`."""
    student = signed_in(request)
    if request.method == "POST":
        if "withdraw" in request.POST:
            end_help(student=student, actor=student)
        else:
            done = _("Your teachers see now that you need help. Go on meanwhile if you can.")
            carry_out(request, lambda: ask_help(student=student), done)
        return HttpResponseRedirect(_way_back(request))
    waiting = HelpRequest.objects.waiting().filter(student=student).first()
    return render(request, "course/help_ask.html", {"waiting": waiting})


@login_required
@require_POST
def help_answer(request: HttpRequest, pk: int, username: str) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "view_work")
    student = get_object_or_404(classroom.students(), username=username)

    def take_off() -> None:
        refuse_archived(classroom)
        end_help(student=student, actor=signed_in(request))

    carry_out(request, take_off, _("Taken off the list."))
    return redirect("course:classroom-detail", pk=pk)


def _way_back(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    return wanted if is_ours else "/help/"
