"""Streams as a process of their own, beside WSGI workers that serve the pages."""

import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

# Django must be set up before these can be imported.
from config.health import answer_health, answer_lifespan  # noqa: E402
from labs.stream_server import application as streams  # noqa: E402


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await answer_lifespan(receive, send)
    elif scope["type"] == "http" and scope["path"].startswith("/streams/"):
        await streams(scope, receive, send)
    elif scope["type"] == "http":
        await answer_health(send)
