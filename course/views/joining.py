"""Joining a class by its code: for students, and for the teacher who shows the code."""

from __future__ import annotations

import io

import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from course.classroom_forms import JoinCodeForm
from course.classrooms import close_joining, open_joining, role_in
from course.join_codes import read, written
from course.joining import Joined, classroom_of_code, join_by_code
from course.models import Classroom
from course.people import reader_of, signed_in
from course.permissions import rights_in
from course.throttle import WRONG_CODES, count_attempt, is_exhausted
from course.views.of_class import carry_out, classroom_or_404
from labs.refusal import Refused

PAGES = ["GET", "HEAD", "POST"]
TOO_MANY = 429


@require_http_methods(PAGES)
def join(request: HttpRequest) -> HttpResponse:
    """Where a code is typed. It is tried on the next page, which a link leads to as well."""
    code = read(request.POST.get("code", ""))
    if code:
        return redirect("course:join-confirm", code=written(code))
    context = {"typed": request.POST.get("code", ""), "is_wrong": request.method == "POST"}
    return render(request, "course/join.html", context)


@require_http_methods(PAGES)
def join_confirm(request: HttpRequest, code: str) -> HttpResponse:
    """Says which class it is, and lets in on a press. A visitor gets an account first."""
    here = reverse("course:join-confirm", args=[code])
    reader = reader_of(request)
    if reader is None:
        if request.method == "POST":
            return redirect_to_login(here)
        return render(request, "course/join_first.html", {"here": here, "code": code})
    classroom = _classroom_of_try(request, code)
    if isinstance(classroom, HttpResponse):
        return classroom
    if request.method == "POST":
        return _join(request, code)
    context = {"classroom": classroom, "code": code, "role": role_in(classroom, reader)}
    return render(request, "course/join_confirm.html", context)


def _classroom_of_try(request: HttpRequest, code: str) -> Classroom | HttpResponse:
    """The class, or the page that says why there is none."""
    if is_exhausted(WRONG_CODES, request):
        return render(request, "course/join_later.html", status=TOO_MANY)
    classroom = classroom_of_code(code)
    if classroom is None:
        count_attempt(WRONG_CODES, request)
        context = {"typed": code, "is_wrong": True}
        return render(request, "course/join.html", context, status=404)
    return classroom


def _join(request: HttpRequest, code: str) -> HttpResponse:
    try:
        classroom, joined = join_by_code(code=code, user=signed_in(request))
    except Refused as no:
        messages.error(request, str(no))
        return redirect("course:join")
    said = {
        Joined.NOW: _("You joined %(name)s."),
        Joined.ASKED: _("You asked to join %(name)s. Its teacher lets you in."),
        Joined.ALREADY: _("You were in %(name)s already."),
    }
    messages.success(request, said[joined] % {"name": classroom.name})
    return redirect("course:classroom-list")


@login_required
@require_http_methods(PAGES)
def join_code(request: HttpRequest, pk: int) -> HttpResponse:
    """The class's code to be shown on a wall; a POST makes a new one or closes the door."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    actor = signed_in(request)
    form = JoinCodeForm(request.POST or None)
    if request.POST.get("do") == "close":
        carry_out(request, lambda: close_joining(classroom, actor=actor), _("The code is off."))
        return redirect("course:join-code", pk=pk)
    if request.method == "POST" and form.is_valid():
        carry_out(
            request,
            lambda: open_joining(classroom, actor=actor, **form.cleaned_data),
            _("This is the new code. The one before it does not work any more."),
        )
        return redirect("course:join-code", pk=pk)
    return render(request, "course/join_code.html", _code_context(request, classroom, form))


def _code_context(
    request: HttpRequest, classroom: Classroom, form: JoinCodeForm
) -> dict[str, object]:
    return {
        "classroom": classroom,
        "rights": rights_in(request.user, classroom),
        "form": form,
        "code": written(classroom.open_code),
        "link": _link(request, classroom) if classroom.open_code else "",
    }


@login_required
@require_safe
def join_qr(request: HttpRequest, pk: int) -> HttpResponse:
    """The join link as a picture for phones."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    if not classroom.open_code:
        raise Http404("no code is open")
    picture = io.BytesIO()
    segno.make(_link(request, classroom), error="m", micro=False).save(
        picture, kind="svg", scale=8, border=4, light="#ffffff", dark="#000000"
    )
    response = HttpResponse(picture.getvalue(), content_type="image/svg+xml")
    response["Cache-Control"] = "no-store"
    return response


def _link(request: HttpRequest, classroom: Classroom) -> str:
    path = reverse("course:join-confirm", args=[written(classroom.open_code)])
    return request.build_absolute_uri(path)
