"""A student's browser for benchmarks: presses Run over HTTP and reads the run's event stream."""

from __future__ import annotations

import http.client
import re
import time
import urllib.parse
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

STREAM = re.compile(rb'data-run-stream="([^"]+)"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True)
class Timings:
    """Seconds from the moment before the POST."""

    first_output_s: float
    receipt_s: float


KEPT_S = 4.0
"""The server closes a connection that has been idle for five seconds."""


class Connection:
    """One kept connection, opened anew when it has been idle for too long."""

    def __init__(self, address: str) -> None:
        self._http = http.client.HTTPConnection(address, timeout=60)
        self._used_at = 0.0

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: str = ""
    ) -> http.client.HTTPResponse:
        if time.perf_counter() - self._used_at > KEPT_S:
            self._http.close()
        self._http.request(method, path, body or None, dict(headers))
        response = self._http.getresponse()
        self._used_at = time.perf_counter()
        assert response.status == 200, (response.status, response.read()[:500])
        return response


class SiteClient:
    """One student with a kept connection for pages and one for streams."""

    def __init__(self, pages: str, streams: str, session_key: str, lesson: str) -> None:
        self.lesson = lesson
        self._pages = Connection(pages)
        self._streams = Connection(streams)
        self._cookies = {"sessionid": session_key}
        self._token = self._read_token()

    def press(self, block: str) -> Timings:
        """Presses Run and follows the stream to its end."""
        body = urllib.parse.urlencode({"key": str(uuid.uuid4())})
        began = time.perf_counter()
        page = self._ask("POST", f"/lessons/{self.lesson}/blocks/{block}/run/", body)
        found = STREAM.search(page)
        assert found, f"the run was over or refused: {page[-2000:]!r}"
        return self._follow(found[1].decode(), began)

    def _follow(self, path: str, began: float) -> Timings:
        response = self._streams.ask("GET", path, self._headers())
        first = 0.0
        while line := response.readline():
            if line == b"event: lines\n" and not first:
                first = time.perf_counter() - began
            if line == b"event: over\n":
                over = time.perf_counter() - began
                response.read()
                return Timings(first, over)
        raise AssertionError("the stream ended before its run")

    def _read_token(self) -> str:
        found = TOKEN.search(self._ask("GET", f"/lessons/{self.lesson}/").decode())
        assert found, "the lesson's page has no form"
        return found[1]

    def _ask(self, method: str, path: str, body: str = "") -> bytes:
        response = self._pages.ask(method, path, self._headers(), body)
        self._keep_cookies(response)
        return response.read()

    def _headers(self) -> dict[str, str]:
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self._cookies.items())}
        if hasattr(self, "_token"):
            headers |= {"X-CSRFToken": self._token, "HX-Request": "true"}
            headers |= {"Content-Type": "application/x-www-form-urlencoded"}
        return headers

    def _keep_cookies(self, response: http.client.HTTPResponse) -> None:
        for cookie in response.headers.get_all("Set-Cookie", []):
            name, _, rest = cookie.partition("=")
            self._cookies[name] = rest.partition(";")[0]
