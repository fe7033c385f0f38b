"""What every ASGI process of the site answers to its server and to who asks how it is."""

from __future__ import annotations

from typing import Any


async def answer_lifespan(receive: Any, send: Any) -> None:
    """Nothing to start or stop here, said in the protocol's words."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def answer_health(send: Any) -> None:
    """This process answers; there is nothing else to read here."""
    headers = [(b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok\n"})
