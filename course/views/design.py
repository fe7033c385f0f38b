"""The living style page: every component of the site once, for those who build pages."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

COLOURS = (
    *("paper", "raised", "sunk", "ink", "ink-soft", "line", "line-strong", "link", "accent"),
    *("accent-soft", "on-accent", "good", "bad", "wait", "good-soft", "bad-soft", "wait-soft"),
    *("note", "warn", "mark", "focus", "term", "term-ink", "term-soft"),
)


@login_required
@require_safe
def design(request: HttpRequest) -> HttpResponse:
    if not request.user.is_staff:
        raise PermissionDenied(_("The style page is for those who build the site."))
    return render(request, "course/design.html", {"colours": COLOURS, "ansi": range(16)})
