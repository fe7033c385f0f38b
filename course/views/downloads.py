"""A whole class as one file, packed while it is sent, and how far it has come."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods

from course.class_files import files_of_class
from course.downloads import begin_download, note_student, send
from course.models import ClassDownload, Classroom
from course.people import signed_in
from course.permissions import rights_in
from course.views.of_class import classroom_or_404
from labs.fragments import wants_fragment
from labs.refusal import Refused

SHOWN = 5


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def class_download(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The page that offers it; what is sent from there is answered with the file."""
    classroom = classroom_or_404(request, pk, "export_marks")
    if request.method == "POST":
        return _send(request, classroom)
    mine = ClassDownload.objects.filter(classroom=classroom).select_related("asked_by")
    context = {
        "classroom": classroom,
        "rights": rights_in(request.user, classroom),
        "downloads": list(mine[:SHOWN]),
    }
    template = "_class_download.html" if wants_fragment(request) else "class_download.html"
    return render(request, f"course/{template}", context)


def _send(request: HttpRequest, classroom: Classroom) -> HttpResponse | StreamingHttpResponse:
    teacher = signed_in(request)
    try:
        download = begin_download(classroom=classroom, teacher=teacher)
    except Refused as no:
        messages.error(request, str(no))
        return redirect("course:class-download", pk=classroom.pk)
    files = files_of_class(classroom, teacher, partial(note_student, download))
    response = StreamingHttpResponse(send(download, files), content_type="application/zip")
    name = f"{slugify(classroom.name) or classroom.pk}-{timezone.localdate():%Y-%m-%d}.zip"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response
