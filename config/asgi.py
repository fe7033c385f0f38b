"""The whole site for one ASGI server: streams as they are, pages through the WSGI application.

A synchronous page costs several times more when Django serves it over ASGI.
"""

import os
from typing import Any

import django
from a2wsgi import WSGIMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.exception import convert_exception_to_response

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)


class StreamHandler(ASGIHandler):
    """Django with what a stream needs and no more: who is asking.

    Each middleware costs two hops between threads, and ten of them are most of a first byte.
    """

    def load_middleware(self, is_async: bool = True) -> None:
        get_response: Any = self._get_response_async  # type: ignore[attr-defined] # BaseHandler's own
        handler: Any = convert_exception_to_response(get_response)
        self._middleware_chain = SessionMiddleware(AuthenticationMiddleware(handler))
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []


streams = StreamHandler()

from config.wsgi import application as pages_over_wsgi  # noqa: E402 - Django must be set up first

pages = WSGIMiddleware(pages_over_wsgi, workers=10)  # type: ignore[arg-type] # Django's own view of WSGI


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http" and not scope["path"].startswith("/streams/"):
        await pages(scope, receive, send)
    elif scope["type"] == "http":
        await streams(scope, receive, send)
    elif scope["type"] == "lifespan":
        await answer_lifespan(receive, send)


async def answer_lifespan(receive: Any, send: Any) -> None:
    """Nothing to start or stop here, said in the protocol's words."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
