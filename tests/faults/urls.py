"""The site's addresses and one more, at which a test presses Run in the web process itself."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from config.urls import urlpatterns as addresses_of_the_site
from course.models import User
from labs.requests import request_run


@csrf_exempt
def press(request: HttpRequest) -> HttpResponse:
    """Presses Run as `labs.requests` does for a page, without log-in and lesson."""
    run = request_run(
        owner=User.objects.get(username=request.POST["username"]),
        key=uuid.UUID(request.POST["key"]),
        line=request.POST["line"],
        origin="checkpoints#resume",
    )
    return HttpResponse(str(run.pk))


urlpatterns = [path("press", press), *addresses_of_the_site]
