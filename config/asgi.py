"""The whole site for one ASGI server: streams as they are, pages through the WSGI application.

A synchronous page costs several times more when Django serves it over ASGI.
"""

import os
from typing import Any

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

# Django must be set up before these can be imported.
from config.health import answer_lifespan  # noqa: E402
from config.pages import PagesInThreads  # noqa: E402
from config.whole_requests import in_whole  # noqa: E402
from config.wsgi import application as pages_over_wsgi  # noqa: E402
from labs.stream_server import application as streams  # noqa: E402

if settings.WORKER_IS_EMBEDDED:
    # Beside the engine. Elsewhere the gateway is a process of its own (config/terminal_asgi.py).
    from labs.terminal_gateway import application as terminals
else:
    from labs.terminal_away import application as terminals

pages = in_whole(PagesInThreads(pages_over_wsgi))


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http" and not scope["path"].startswith("/streams/"):
        await pages(scope, receive, send)
    elif scope["type"] == "http":
        await streams(scope, receive, send)
    elif scope["type"] == "websocket":
        await terminals(scope, receive, send)
    elif scope["type"] == "lifespan":
        await answer_lifespan(receive, send)
