"""Who may open the console's pages, as a decorator for its views."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

View = Callable[..., HttpResponse]


def needs(permission: str) -> Callable[[View], View]:
    """Answers 403 to who hasn't the permission, whatever the page would say."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied(_("Labs are managed by admins."))
            return view(request, *args, **kwargs)

        return guarded

    return decorate
