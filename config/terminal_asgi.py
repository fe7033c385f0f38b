"""The terminals' gateway as a process of its own, beside a lab host's engine."""

import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

# Django must be set up before these can be imported.
from config.asgi import answer_lifespan  # noqa: E402
from labs.terminal_gateway import application as terminals  # noqa: E402


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await terminals(scope, receive, send)
    elif scope["type"] == "http":
        await answer_health(send)
    elif scope["type"] == "lifespan":
        await answer_lifespan(receive, send)


async def answer_health(send: Any) -> None:
    """This process answers; there is nothing else to read here."""
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", b"text/plain")],
        }
    )
    await send({"type": "http.response.body", "body": b"ok\n"})
