"""Pages of terminals: one's own, somebody's to look in on, and recordings of both."""

from __future__ import annotations

import uuid
from datetime import datetime
from itertools import chain
from urllib.parse import urlsplit

from csp.constants import WASM_UNSAFE_EVAL
from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST, require_safe

from labs import audit, terminals
from labs.audience import get_audience
from labs.models import TerminalSession
from labs.recordings import cast_of, find_in, header_of, marks_in, text_of
from labs.refusal import Refused
from labs.replays import Replay
from labs.terminal_tickets import issue_ticket


@login_required
@require_safe
def terminal_detail(request: HttpRequest) -> HttpResponse:
    """One's own terminal, on a page of its own."""
    number = 2 if request.GET.get("number") == "2" else 1
    return render(request, "labs/terminal_detail.html", {"number": number})


@login_required
@require_POST
def terminal_open(request: HttpRequest) -> JsonResponse:
    """Opens one's terminal of that number, or finds it open; a ticket to sit down at it."""
    try:
        number = int(request.POST.get("number", "1"))
        known = uuid.UUID(text) if (text := request.POST.get("session", "")) else None
    except ValueError as error:
        raise Http404("a terminal has a number, and its session an id") from error
    try:
        session = terminals.open_session(owner=request.user, number=number, known=known)
    except Refused as refusal:
        return JsonResponse({"refusal": str(refusal)}, status=409)
    return _seat(request, session)


@login_required
@require_POST
def terminal_ticket(request: HttpRequest, session_id: uuid.UUID) -> JsonResponse:
    """A ticket to look in on a student's terminal."""
    return _seat(request, _session_or_404(request, session_id, "labs.watch_terminal"))


@login_required
@require_safe
def terminal_watch(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    session = _session_or_404(request, session_id, "labs.watch_terminal")
    return render(request, "labs/terminal_watch.html", {"session": session})


@login_required
@require_safe
def terminal_list(request: HttpRequest, username: str) -> HttpResponse:
    """Somebody's terminals, newest first: to replay, and to look in where one is open."""
    person = get_object_or_404(get_user_model(), username=username)
    if not request.user.has_perm("labs.view_terminals_of", person):
        raise Http404("no such person")
    audit.note_view(viewer=request.user, owner=person)
    sessions = TerminalSession.objects.of_owner(person)
    if until := get_audience().seen_until(request.user, person):
        sessions = sessions.filter(opened_at__lte=until)
    sessions = sessions[:200]
    return render(request, "labs/terminal_list.html", {"person": person, "sessions": sessions})


# The player's own emulator is WebAssembly.
@csp_update({"script-src": [WASM_UNSAFE_EVAL]})  # type: ignore[arg-type]  # knows no arguments
@login_required
@require_safe
def terminal_replay(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """The recording with its commands; `q` looks for words in all that was shown, and with `run`
    it begins where that run was typed."""
    session = _recording_or_404(request, session_id)
    replay = Replay(session, _seen_until(request, session))
    words = request.GET.get("q", "")[:200]
    context = {
        "session": session,
        "replay": replay,
        "wanted": replay.find_run(_uuid_or_none(request.GET.get("run", ""))),
        "words": words,
        "found": find_in(replay.events, words),
        "marks": marks_in(replay.events) if not replay.runs else (),
    }
    return render(request, "labs/terminal_replay.html", context)


@login_required
@require_safe
def terminal_cast(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """As it was recorded; with `pauses=short` as the page's own player wants it."""
    session = _recording_or_404(request, session_id)
    until = _seen_until(request, session)
    lines = cast_of(session, until)
    if request.GET.get("pauses") == "short":
        events = Replay(session, until).events
        lines = chain([header_of(session)], (event.line() for event in events))
    return _download("".join(lines), "application/x-asciicast", f"{session.pk}.cast")


@login_required
@require_safe
def terminal_text(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    session = _recording_or_404(request, session_id)
    text = text_of(session, _seen_until(request, session))
    return _download(text, "text/plain; charset=utf-8", f"{session.pk}.txt")


def _download(text: str, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="terminal-{name}"'
    return response


def _seat(request: HttpRequest, session: TerminalSession) -> JsonResponse:
    """A ticket, and where to show it: at the gateway of the lab's own host."""
    host = session.lab.host.name if session.lab.host else settings.LAB_HOST
    hostname = urlsplit(f"//{request.get_host()}").hostname
    return JsonResponse(
        {
            "session": str(session.pk),
            "ticket": issue_ticket(session, request.user),
            "url": settings.TERMINAL_URL.format(host=host, hostname=hostname),
            "is_recorded": session.is_recorded,
        }
    )


def _recording_or_404(request: HttpRequest, session_id: uuid.UUID) -> TerminalSession:
    session = _session_or_404(request, session_id, "labs.view_terminal")
    audit.note_view(viewer=request.user, owner=session.owner)
    return session


def _seen_until(request: HttpRequest, session: TerminalSession) -> datetime | None:
    """A shell that goes on after its class was archived is its student's own from then on."""
    return get_audience().seen_until(request.user, session.owner)


def _uuid_or_none(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _session_or_404(
    request: HttpRequest, session_id: uuid.UUID, permission: str
) -> TerminalSession:
    """Somebody else's terminal looks like none at all."""
    sessions = TerminalSession.objects.select_related("owner", "lab__host")
    session = get_object_or_404(sessions, pk=session_id)
    if not request.user.has_perm(permission, session):
        raise Http404("no such terminal")
    return session
