"""The labs of a class, warmed and proven before a lesson."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from course.classrooms import refuse_archived
from course.models import Classroom, User
from course.permissions import rights_in
from course.views.of_class import carry_out, classroom_or_404
from labs.fragments import wants_fragment
from labs.lifecycle import lab_of
from labs.models import Lab, Muster
from labs.musters import request_muster, request_repair
from labs.refusal import Refused
from labs.stored_words import in_readers_words


@dataclass(frozen=True)
class Line:
    """One student's lab, and what came of its newest muster."""

    student: User
    lab: Lab | None
    muster: Muster | None

    @property
    def problem(self) -> str:
        """Why it is red, or why it waits."""
        return in_readers_words(self.muster.problem) if self.muster else ""

    @property
    def is_under_way(self) -> bool:
        return self.muster is not None and not self.muster.is_over

    @property
    def is_bad(self) -> bool:
        return self.muster is not None and self.muster.state == Muster.State.BAD


@login_required
@require_safe
def muster_detail(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "manage_labs_of")
    template = "course/_muster.html" if wants_fragment(request) else "course/muster_detail.html"
    return render(request, template, _context(request, classroom))


@login_required
@require_POST
def muster_begin(request: HttpRequest, pk: int) -> HttpResponse:
    """Every student's lab; those under way already are not asked for twice."""
    classroom = classroom_or_404(request, pk, "manage_labs_of")
    try:
        refuse_archived(classroom)
    except Refused as no:
        messages.error(request, str(no))
        return redirect("course:muster-detail", pk=classroom.pk)
    count = request_muster(classroom.students(), actor=request.user)
    words = ngettext(
        "%(count)d lab is being started and checked. You may leave this page.",
        "%(count)d labs are being started and checked. You may leave this page.",
        count,
    )
    messages.success(request, words % {"count": count})
    return redirect("course:muster-detail", pk=classroom.pk)


@login_required
@require_POST
def muster_repair(request: HttpRequest, pk: int, username: str) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "manage_labs_of")
    student = get_object_or_404(classroom.students(), username=username)

    def repair() -> None:
        refuse_archived(classroom)
        request_repair(lab_of(student), actor=request.user)

    words = _("The lab of %(name)s is saved, started anew and checked again.")
    carry_out(request, repair, words % {"name": student.shown_name})
    return redirect("course:muster-detail", pk=classroom.pk)


def _context(request: HttpRequest, classroom: Classroom) -> dict[str, object]:
    """Two queries beside those of the reader's rights."""
    students = list(classroom.students())
    labs = Lab.objects.filter(owner__in=students).select_related("muster")
    by_owner = {lab.owner_id: lab for lab in labs}
    lines = [_line(student, by_owner.get(student.pk)) for student in students]
    states = [line.muster.state for line in lines if line.muster]
    return {
        "classroom": classroom,
        "rights": rights_in(request.user, classroom),
        "lines": sorted(lines, key=lambda line: not line.is_bad),
        "good_count": states.count(Muster.State.GOOD),
        "bad_count": states.count(Muster.State.BAD),
        "done_count": states.count(Muster.State.GOOD) + states.count(Muster.State.BAD),
        "all_count": len(lines),
        "is_under_way": any(line.is_under_way for line in lines),
    }


def _line(student: User, lab: Lab | None) -> Line:
    return Line(student, lab, getattr(lab, "muster", None))
