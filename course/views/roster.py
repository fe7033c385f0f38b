"""The roster file: uploaded, shown as a plan, applied as shown; and the class as such a file."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from course.models import Classroom, RosterPlan
from course.people import signed_in
from course.permissions import rights_in
from course.roster import apply_roster, export_roster, preview_roster, shown_plan
from course.roster_file import MAX_BYTES
from course.roster_plan import Kind
from course.views.cards import show_cards
from course.views.of_class import classroom_or_404
from labs.refusal import Refused

PAGES = ["GET", "HEAD", "POST"]


@login_required
@require_http_methods(PAGES)
def roster(request: HttpRequest, pk: int) -> HttpResponse:
    """The form for a file; a POST leads to the plan, and changes nothing yet."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    refusal = ""
    if request.method == "POST":
        try:
            plan = _preview(request, classroom)
        except Refused as no:
            refusal = str(no)
        else:
            return redirect("course:roster-plan", pk=pk, plan_pk=plan.pk)
    rights = rights_in(request.user, classroom)
    context = {"classroom": classroom, "rights": rights, "refusal": refusal}
    return render(request, "course/roster.html", context)


def _preview(request: HttpRequest, classroom: Classroom) -> RosterPlan:
    upload = request.FILES.get("file")
    if upload is None:
        raise Refused(_("No file was chosen, so nothing was read."))
    return preview_roster(
        classroom,
        actor=signed_in(request),
        data=upload.read(MAX_BYTES + 1),
        remove_missing="remove_missing" in request.POST,
    )


@login_required
@never_cache
@require_http_methods(PAGES)
def roster_plan(request: HttpRequest, pk: int, plan_pk: int) -> HttpResponse:
    """What the file will change. A POST does exactly that, and shows the new log-in cards."""
    classroom = classroom_or_404(request, pk, "manage_classroom")
    actor = signed_in(request)
    row = get_object_or_404(classroom.roster_plans, pk=plan_pk, made_by=actor)
    if request.method == "POST":
        try:
            cards = apply_roster(row, actor=actor)
        except Refused as no:
            messages.error(request, str(no))
            return redirect("course:roster", pk=pk)
        if cards:
            return show_cards(request, classroom, cards)
        messages.success(request, _("Done: the class is now as the plan said."))
        return redirect("course:member-list", pk=pk)
    return render(request, "course/roster_plan.html", _plan_context(request, row))


def _plan_context(request: HttpRequest, row: RosterPlan) -> dict[str, object]:
    plan = shown_plan(row)
    groups = [
        (_("New accounts"), plan.of(Kind.ADD)),
        (_("Come in from your other classes"), plan.of(Kind.ENROL)),
        (_("Come back"), plan.of(Kind.RETURN)),
        (_("Changed"), plan.of(Kind.CHANGE)),
        (_("Leave the class, their accounts are kept"), plan.of(Kind.REMOVE)),
        (_("Not in the file, and left as they are"), plan.of(Kind.STAY)),
        (_("Unchanged"), plan.of(Kind.SAME)),
    ]
    return {
        "classroom": row.classroom,
        "rights": rights_in(request.user, row.classroom),
        "row": row,
        "plan": plan,
        "groups": [(title, entries) for title, entries in groups if entries],
    }


@login_required
@require_safe
def roster_export(request: HttpRequest, pk: int) -> HttpResponse:
    classroom = classroom_or_404(request, pk, "manage_classroom")
    # With a byte order mark, by which spreadsheets know UTF-8.
    text = "\ufeff" + export_roster(classroom)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="roster-{classroom.pk}.csv"'
    return response
