"""What the site keeps of the reader: shown, taken along, deleted; and who looked at it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from course.own_data import files_of_person
from course.people import signed_in
from course.privacy import erase_person
from course.throttle import EXPORTS, WRONG_PASSPHRASES, count_attempt, is_exhausted
from labs.audit import views_of
from labs.refusal import Refused
from labs.zips import pack

VIEWS_SHOWN = 200
TOO_MANY = 429


@login_required
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    reader = signed_in(request)
    context = {"views": views_of(reader)[:VIEWS_SHOWN], "memberships": _memberships(request)}
    return render(request, "course/privacy.html", context)


@login_required
@never_cache
@require_safe
def data_export(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    if is_exhausted(EXPORTS, request):
        return render(request, "course/export_later.html", status=TOO_MANY)
    reader = signed_in(request)
    count_attempt(EXPORTS, request)
    response = StreamingHttpResponse(pack(files_of_person(reader)), content_type="application/zip")
    name = content_disposition_header(True, f"agent-lab-{reader.username}.zip")
    response["Content-Disposition"] = name or "attachment"
    return response


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def data_delete(request: HttpRequest) -> HttpResponse:
    """Asks for the passphrase once more: it can't be undone, and computers are shared."""
    if request.method != "POST":
        return render(request, "course/data_delete.html")
    reader = signed_in(request)
    try:
        _check_passphrase(request)
        erase_person(reader, actor=reader)
    except Refused as no:
        return render(request, "course/data_delete.html", {"refusal": str(no)})
    logout(request)
    messages.success(
        request, _("Your account and everything in it are deleted. You can still read the lessons.")
    )
    return redirect("course:home")


def _check_passphrase(request: HttpRequest) -> None:
    if is_exhausted(WRONG_PASSPHRASES, request):
        raise Refused(
            _("Too many wrong passphrases. Nothing was deleted. Try again in a quarter of an hour.")
        )
    if not signed_in(request).check_password(request.POST.get("passphrase", "")):
        count_attempt(WRONG_PASSPHRASES, request)
        raise Refused(_("This is not your passphrase, so nothing was deleted. Type it again."))


def _memberships(request: HttpRequest) -> object:
    current = signed_in(request).memberships.filter(left_at=None)
    return current.select_related("classroom").order_by("classroom__name")
