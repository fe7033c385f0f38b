"""The terminals' gateway as a process of its own, beside a lab host's engine."""

import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

# Django must be set up before these can be imported.
from config.health import answer_health, answer_lifespan  # noqa: E402
from labs.terminal_gateway import application as terminals  # noqa: E402


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await terminals(scope, receive, send)
    elif scope["type"] == "http":
        await answer_health(send)
    elif scope["type"] == "lifespan":
        await answer_lifespan(receive, send)
