"""Django for streams: with what a stream needs and no more, which is who is asking."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.exception import convert_exception_to_response


class StreamHandler(ASGIHandler):
    """Each middleware costs two hops between threads: ten of them are most of a first byte."""

    def load_middleware(self, is_async: bool = True) -> None:
        get_response: Any = self._get_response_async  # type: ignore[attr-defined] # BaseHandler's own
        handler: Any = convert_exception_to_response(get_response)
        self._middleware_chain = SessionMiddleware(AuthenticationMiddleware(handler))
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
