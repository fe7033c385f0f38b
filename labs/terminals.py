"""The only writer of terminals and of their recordings. No Docker here: pages ask it too."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from labs import lifecycle
from labs.audience import get_audience
from labs.models import Lab, RecordingPiece, TerminalSession
from labs.refusal import Refused

NUMBERS = (1, 2)
LAB_ENDED = "lab_ended"
NEVER_BEGUN = timedelta(days=1)
"""After which a terminal that has got no container gets none any more."""
SAID_BY_LABS = (
    gettext_noop("Your terminal has ended, so nothing was typed and nothing was run."),
    gettext_noop(
        "Your terminal is busy with another program, so nothing was typed and nothing was run. "
        "End that program with Ctrl-C, then press Run again."
    ),
    gettext_noop(
        "Your shell did not run the line that was typed, so it was taken back. "
        "Nothing was run. Press Run again, or press it without the terminal."
    ),
    gettext_noop("It was taken back with Ctrl-C before it began."),
)
"""What a lab's supervisor writes into receipts of runs that were to be typed."""


@dataclass(frozen=True)
class Taken:
    """What a recorder read: events as lines, the bytes of output they hold, and the time after."""

    offset: int
    end: int
    at_s: float
    lines: str


def open_session(*, owner: Any, number: int, known: uuid.UUID | None = None) -> TerminalSession:
    """The open terminal of this number, or a new one. Raises Refused for a number too many.

    One whose lab has been stopped since is closed first: its shell ended with the lab. `known` is
    the terminal that a page comes back to by itself: it gets no other, or an open page would start
    every lab again that was stopped.
    """
    if number not in NUMBERS:
        raise Refused(
            _("A lab has two terminals at most. Nothing was opened. Use the first or the second.")
        )
    lab = lifecycle.lab_of(owner)
    session = TerminalSession.objects.open().filter(lab=lab, number=number).first()
    if session and not session.is_of_this_lab:
        close_session(session, reason=LAB_ENDED)
        session = None
    if known and (session is None or session.pk != known):
        raise Refused(
            _("Your shell has ended with your lab. Your files are kept. Open a new shell to go on.")
        )
    return session or _create(owner, lab, number)


def _create(owner: Any, lab: Lab, number: int) -> TerminalSession:
    """Of two tabs that open it at once, both get the one that came first."""
    try:
        with transaction.atomic():
            return TerminalSession.objects.create(
                owner=owner,
                lab=lab,
                number=number,
                is_recorded=owner.has_perm("labs.record_terminal", lab),
            )
    except IntegrityError:
        return TerminalSession.objects.open().get(lab=lab, number=number)


def refuse_ended(owner: Any, session_id: uuid.UUID) -> None:
    """Raises Refused unless this is an open terminal of the owner's, whose shell may still run."""
    sessions = TerminalSession.objects.open().of_owner(owner)
    session = sessions.filter(pk=session_id).first()
    if session is None or not session.lab_generation or not session.is_live:
        raise Refused(
            _(
                "Your shell has ended, so nothing was typed and nothing was run. Open a new shell, "
                "or press Run without “Run types its command here”."
            )
        )


def bind_session(session: TerminalSession, lab: Lab) -> bool:
    """Ties the terminal to the lab's container of now. False when it belongs to another."""
    TerminalSession.objects.open().filter(pk=session.pk, lab_generation=0).update(
        lab_generation=lab.generation
    )
    session.refresh_from_db()
    return session.is_live and session.lab_generation == lab.generation


def close_session(session: TerminalSession, *, reason: str, exit_code: int | None = None) -> bool:
    """False when it was closed already: the first reason stays."""
    return bool(
        TerminalSession.objects.open()
        .filter(pk=session.pk)
        .update(
            state=TerminalSession.State.CLOSED,
            reason=reason,
            exit_code=exit_code,
            closed_at=timezone.now(),
        )
    )


def note_typing(session: TerminalSession) -> None:
    """The lab is in use, and its files may change from now on."""
    lifecycle.mark_unsaved(session.lab)


def store_piece(session: TerminalSession, taken: Taken) -> bool:
    """Adds to the recording. False when another recorder was there first, or it is full."""
    size = len(taken.lines.encode())
    with transaction.atomic():
        moved = TerminalSession.objects.filter(
            pk=session.pk, recorded_offset=taken.offset, is_cut=False
        ).update(
            recorded_offset=taken.end,
            recorded_bytes=session.recorded_bytes + size,
            recorded_s=taken.at_s,
            is_cut=session.recorded_bytes + size >= settings.TERMINAL_RECORDING_BYTES,
        )
        if moved and taken.lines:
            RecordingPiece.objects.create(session=session, offset=taken.offset, lines=taken.lines)
    session.refresh_from_db()
    return bool(moved)


def close_ended_sessions() -> int:
    """Those whose shell ended with their lab, unseen, as when its student just went home."""
    in_their_lab = Q(
        lab_generation=F("lab__generation"), lab__state__in=(Lab.State.READY, Lab.State.PAUSED)
    )
    soon = Q(lab_generation=0, opened_at__gte=timezone.now() - NEVER_BEGUN)
    ended = TerminalSession.objects.open().exclude(in_their_lab | soon)
    return ended.update(
        state=TerminalSession.State.CLOSED, reason=LAB_ENDED, closed_at=timezone.now()
    )


def remove_old_recordings() -> int:
    """Ended terminals and their recordings, once they are older than they may become.

    Not where they belong to what stays, such as a hand-in.
    """
    close_ended_sessions()
    before = timezone.now() - timedelta(days=settings.TERMINAL_RECORDING_DAYS)
    old = TerminalSession.objects.filter(state=TerminalSession.State.CLOSED, closed_at__lt=before)
    removed, _by_kind = old.exclude(pk__in=get_audience().terminals_kept()).delete()
    return removed
