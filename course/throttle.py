"""How often something may be tried, by account and by address. The only writer of attempts.

Counted in rows, so that it holds for several web processes together.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import timedelta

from axes.helpers import get_client_ip_address
from django.http import HttpRequest
from django.utils import timezone

from course.models import Attempt

KEPT = timedelta(days=1)


@dataclass(frozen=True)
class Limit:
    kind: str
    per_user: int
    per_address: int
    """Many times the other: a whole school may sit behind one address."""
    within: timedelta
    per_site: int | None = None
    """Of all together, where many addresses could share the work; None for no such limit."""


WRONG_CODES = Limit(
    "wrong code", per_user=10, per_address=200, within=timedelta(minutes=15), per_site=5_000
)
WRONG_PASSPHRASES = Limit("passphrase", per_user=8, per_address=200, within=timedelta(minutes=15))
EXPORTS = Limit("export", per_user=6, per_address=200, within=timedelta(hours=1))
SIGN_UPS = Limit("sign-up", per_user=10, per_address=300, within=timedelta(hours=1))


def count_attempt(limit: Limit, request: HttpRequest) -> None:
    Attempt.objects.bulk_create(
        Attempt(kind=limit.kind, by=by) for by in _limits_of(limit, request)
    )
    Attempt.objects.filter(at__lt=timezone.now() - KEPT).delete()


def is_exhausted(limit: Limit, request: HttpRequest) -> bool:
    """One query for the account, one for the address, one for the site where that counts."""
    since = timezone.now() - limit.within
    return any(
        Attempt.objects.filter(kind=limit.kind, by=by, at__gte=since).count() >= allowed
        for by, allowed in _limits_of(limit, request).items()
    )


def _limits_of(limit: Limit, request: HttpRequest) -> dict[str, int]:
    limits = {f"address {network_of(get_client_ip_address(request))}": limit.per_address}
    if limit.per_site is not None:
        limits["the whole site"] = limit.per_site
    if request.user.is_authenticated:
        limits[f"user {request.user.pk}"] = limit.per_user
    return limits


def network_of(address: str | None) -> str:
    """The address; of a version 6 one the /64, since one machine has all of that."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
