"""Tickets: what a page shows the terminals' gateway. Signed, for one person, soon worthless."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.core import signing

from labs import doorbell
from labs.models import TerminalSession

LIVES_S = 30
SALT = "labs.terminal"


@dataclass(frozen=True)
class Ticket:
    """Who may sit down at which terminal, in which container of its lab."""

    session_id: uuid.UUID
    user_id: int
    generation: int
    """0 for a terminal that has no container yet."""


def issue_ticket(session: TerminalSession, user: Any) -> str:
    facts = [str(session.pk), user.pk, session.lab_generation]
    return signing.dumps(facts, salt=SALT)


def read_ticket(text: str) -> Ticket | None:
    """None for one that is forged, too old, or no ticket at all."""
    try:
        session_id, user_id, generation = signing.loads(text, salt=SALT, max_age=LIVES_S)
        return Ticket(uuid.UUID(session_id), int(user_id), int(generation))
    except (signing.BadSignature, ValueError, TypeError):
        return None


def fits(ticket: Ticket, session: TerminalSession) -> bool:
    """A ticket of before the terminal had a container is good for its first one."""
    return ticket.generation in (0, session.lab_generation)


def ring_logout(user: Any = None, **kwargs: object) -> None:
    """Has every open terminal of theirs ask again whether it may stay."""
    if user is not None:
        doorbell.ring(topic_of(user))


def topic_of(user: Any) -> str:
    """What is rung when somebody logs out, for those who keep a terminal open for them."""
    return f"person-{user.pk}"
