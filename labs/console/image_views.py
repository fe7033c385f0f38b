"""Images that labs start from: how large, how used, how rehearsed; and building them anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from labs.audience import Rehearsed, get_audience
from labs.console import words
from labs.console.access import needs
from labs.fragments import wants_fragment
from labs.images import request_build
from labs.models import Host, Image, ImageBuild, Lab
from labs.refusal import Refused

BUILDS_SHOWN = 20


@dataclass(frozen=True)
class ImageRow:
    image: Image
    labs: int
    """Those with a container from it."""
    is_current: bool
    """New labs start from it."""
    rehearsals: Sequence[Rehearsed]

    @property
    def size(self) -> str:
        return words.mib(self.image.size_bytes)


@login_required
@require_safe
@needs("labs.manage_images")
def image_list(request: HttpRequest) -> HttpResponse:
    context = {
        "rows": _rows(),
        "hosts": Host.objects.order_by("name"),
        "builds": ImageBuild.objects.select_related("host", "asked_by").defer("log")[:BUILDS_SHOWN],
        "tab": "images",
    }
    return render(request, "labs/image_list.html", context)


def _rows() -> list[ImageRow]:
    """Three queries, however many images and labs."""
    images = list(Image.objects.select_related("host"))
    started = Lab.objects.filter(state__in=Lab.STARTED).order_by()
    counted = started.values_list("host", "image").annotate(labs=Count("pk"))
    used = {(host, digest): labs for host, digest, labs in counted}
    rehearsals = get_audience().rehearsals_of({image.digest for image in images})
    return [
        ImageRow(
            image,
            labs=used.get((image.host_id, image.digest), 0),
            is_current=settings.LAB_IMAGE in (image.digest, *image.tags),
            rehearsals=rehearsals.get(image.digest, ()),
        )
        for image in images
    ]


@login_required
@require_POST
@needs("labs.manage_images")
def image_build(request: HttpRequest, host_id: int) -> HttpResponse:
    """Asks once more, then wishes for a build and shows its log."""
    host = get_object_or_404(Host, pk=host_id)
    if "confirmed" not in request.POST:
        return render(request, "labs/image_build.html", {"host": host, "tab": "images"})
    try:
        build = request_build(host, actor=request.user)
    except Refused as refusal:
        messages.warning(request, str(refusal))
        return redirect("labs:image-list")
    return redirect("labs:build-detail", build_id=build.pk)


@login_required
@require_safe
@needs("labs.manage_images")
def build_detail(request: HttpRequest, build_id: int) -> HttpResponse:
    """A build's log, as far as it got."""
    builds = ImageBuild.objects.select_related("host", "asked_by")
    context = {"build": get_object_or_404(builds, pk=build_id), "tab": "images"}
    template = "labs/_build.html" if wants_fragment(request) else "labs/build_detail.html"
    return render(request, template, context)
