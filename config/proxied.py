"""Who asks, where a proxy of ours stands in front of the pages: what it says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


def behind_proxy(application: Application) -> Application:
    """The same pages, which see the address of the browser instead of the proxy's."""

    def answer(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        said = environ.get("HTTP_X_FORWARDED_FOR", "")
        if address := said.rpartition(",")[2].strip():
            environ["REMOTE_ADDR"] = address
        return application(environ, start_response)

    return answer
