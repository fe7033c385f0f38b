"""Whether a request wants a whole page or only the fragment that htmx will put into one."""

from __future__ import annotations

from django.http import HttpRequest


def wants_fragment(request: HttpRequest) -> bool:
    return bool(request.htmx)  # type: ignore[attr-defined] # set by HtmxMiddleware
