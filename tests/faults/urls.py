"""The site's addresses and some more, at which a test presses Run and Stop in the web process."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from config.urls import urlpatterns as addresses_of_the_site
from course.answers import save_answer
from course.library import get_lesson
from course.models import User
from labs.models import Lab, Run
from labs.requests import request_run, request_stop_lab, request_stop_run


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


@csrf_exempt
def answer(request: HttpRequest) -> HttpResponse:
    """Saves an answer as the lesson's page does, without log-in."""
    lesson = get_lesson("tiny")
    assert lesson is not None
    save_answer(
        user=User.objects.get(username=request.POST["username"]),
        lesson=lesson,
        gap_id="animal",
        text=request.POST["text"],
    )
    return HttpResponse()


@csrf_exempt
def stop_run(request: HttpRequest) -> HttpResponse:
    request_stop_run(Run.objects.select_related("lab__host").get(pk=request.POST["run"]))
    return HttpResponse()


@csrf_exempt
def stop_lab(request: HttpRequest) -> HttpResponse:
    lab = Lab.objects.select_related("owner").get(pk=request.POST["lab"])
    request_stop_lab(lab, actor=lab.owner)
    return HttpResponse()


urlpatterns = [
    path("press", press),
    path("answer", answer),
    path("stop-run", stop_run),
    path("stop-lab", stop_lab),
    *addresses_of_the_site,
]
