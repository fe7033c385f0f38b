"""A message to a lab's owner, marked as read by its owner."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from labs.admin_requests import note_read
from labs.fragments import wants_fragment
from labs.models import Lab


@login_required
@require_POST
def message_read(request: HttpRequest) -> HttpResponse:
    """Takes the message of one's own lab off the page, and leads back to it."""
    note_read(get_object_or_404(Lab, owner_id=request.user.pk))
    if wants_fragment(request):
        return HttpResponse("")
    back = request.POST.get("back", "")
    is_ours = url_has_allowed_host_and_scheme(
        back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return HttpResponseRedirect(back if is_ours else "/")
