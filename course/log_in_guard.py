"""What axes asks at each log-in, at our own pages and at Django's admin: may this try be made?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axes.handlers.base import AxesHandler
from axes.helpers import get_client_ip_address
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from course.known_devices import device_of, know_device, name_key
from course.log_in_tries import forget_tries, take_try, wait_s
from course.people import name_tried
from course.throttle import network_of

TOO_MANY = 429
Credentials = Mapping[str, str] | None


class LogInGuard(AxesHandler):  # type: ignore[misc] # axes has no types
    def is_allowed(self, request: HttpRequest, credentials: Credentials = None) -> bool:
        return take_try(*_counted_by(request, credentials))

    def user_login_failed(
        self,
        sender: object,
        credentials: Credentials,
        request: HttpRequest | None = None,
        **kwargs: Any,
    ) -> None:
        """Says at once that one has to wait, not only at the next try."""
        if request is not None and wait_s(*_counted_by(request, credentials)):
            request.axes_locked_out = True  # type: ignore[attr-defined]
            request.axes_credentials = credentials  # type: ignore[attr-defined]

    def user_logged_in(
        self, sender: object, request: HttpRequest, user: Any, **kwargs: Any
    ) -> None:
        name = {"username": user.get_username()}
        forget_tries(*_counted_by(request, name))
        know_device(request, name_key(name["username"]))

    def reset_attempts(self, *, username: str | None = None, **others: Any) -> int:
        """Of a name, wherever it was tried."""
        return forget_tries(name_key(username)) if username else 0


def _counted_by(request: HttpRequest, credentials: Credentials) -> tuple[str, str]:
    key = name_key(name_tried(request, credentials))
    device = device_of(request, key)
    place = (
        f"device {device}" if device else f"network {network_of(get_client_ip_address(request))}"
    )
    return key, place


def locked_out(
    request: HttpRequest, response: HttpResponse | None, credentials: Credentials
) -> HttpResponse:
    """The page that says how long to wait, in the place of the form."""
    seconds = wait_s(*_counted_by(request, credentials))
    answer = render(request, "account/locked_out.html", {"seconds": seconds}, status=TOO_MANY)
    answer["Retry-After"] = str(seconds)
    return answer
