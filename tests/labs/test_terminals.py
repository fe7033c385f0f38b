"""Terminals as rows, their tickets, and who may come in by the gateway's door."""

from __future__ import annotations

import pytest
from django.core import signing

from labs.models import Lab, TerminalSession
from labs.refusal import Refused
from labs.terminal_gateway import is_from_here
from labs.terminal_tickets import LIVES_S, SALT, fits, issue_ticket, read_ticket
from labs.terminals import (
    Taken,
    bind_session,
    close_session,
    open_session,
    remove_old_recordings,
    store_piece,
)
from tests.factories import make_classroom, make_terminal, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return make_user()


def make_ready(lab, generation):
    Lab.objects.filter(pk=lab.pk).update(state=Lab.State.READY, generation=generation)
    lab.refresh_from_db()


def test_a_second_tab_gets_the_same_terminal(owner):
    assert open_session(owner=owner, number=1) == open_session(owner=owner, number=1)


def test_a_lab_has_two_terminals_at_most(owner):
    numbers = [open_session(owner=owner, number=number).number for number in (1, 2)]
    assert numbers == [1, 2]
    with pytest.raises(Refused, match="two terminals at most"):
        open_session(owner=owner, number=3)


def test_a_terminal_whose_lab_has_ended_is_closed_and_a_new_one_opened(owner):
    first = open_session(owner=owner, number=1)
    make_ready(first.lab, 4)
    assert bind_session(first, first.lab)
    Lab.objects.filter(pk=first.lab_id).update(state=Lab.State.ABSENT)
    second = open_session(owner=owner, number=1)
    first.refresh_from_db()
    assert second.pk != first.pk
    assert (first.state, first.reason) == ("closed", "lab_ended")


def test_a_page_that_comes_back_by_itself_opens_no_other_terminal(owner):
    session = open_session(owner=owner, number=1)
    assert open_session(owner=owner, number=1, known=session.pk) == session
    close_session(session, reason="exited")
    with pytest.raises(Refused, match="Open a new shell"):
        open_session(owner=owner, number=1, known=session.pk)
    assert not TerminalSession.objects.open().exists()


def test_a_terminal_stays_with_its_first_container(owner):
    session = open_session(owner=owner, number=1)
    make_ready(session.lab, 4)
    assert bind_session(session, session.lab)
    make_ready(session.lab, 5)
    assert not bind_session(session, session.lab)
    assert session.lab_generation == 4


def test_the_first_reason_of_an_end_stays(owner):
    session = make_terminal(owner)
    assert close_session(session, reason="exited", exit_code=3)
    assert not close_session(session, reason="unseen")
    session.refresh_from_db()
    assert (session.reason, session.exit_code) == ("exited", 3)


# Recordings


def test_of_two_recorders_one_stores_a_piece(owner):
    session = make_terminal(owner)
    twin = TerminalSession.objects.get(pk=session.pk)
    assert store_piece(session, Taken(0, 4, 1.0, "line\n"))
    assert not store_piece(twin, Taken(0, 6, 1.5, "another\n"))
    assert [piece.lines for piece in session.pieces.all()] == ["line\n"]


def test_a_recording_ends_at_its_budget_and_says_so(owner, settings):
    settings.TERMINAL_RECORDING_BYTES = 8
    session = make_terminal(owner)
    assert store_piece(session, Taken(0, 4, 1.0, "longer than that\n"))
    assert session.is_cut
    assert not store_piece(session, Taken(4, 8, 2.0, "more\n"))


def test_old_recordings_go_and_open_terminals_stay(owner, settings):
    settings.TERMINAL_RECORDING_DAYS = 0
    close_session(make_terminal(owner, "hi"), reason="exited")
    still_open = make_terminal(owner, "ho")
    remove_old_recordings()
    assert list(TerminalSession.objects.all()) == [still_open]


def test_a_recording_whose_lab_ended_unseen_goes_like_any_other(owner, settings):
    settings.TERMINAL_RECORDING_DAYS = 0
    make_terminal(owner, "hi", lab_generation=3)
    of_now = make_terminal(owner, "ho", lab_generation=4, number=2)
    make_ready(of_now.lab, 4)
    remove_old_recordings()
    assert list(TerminalSession.objects.all()) == [of_now]
    Lab.objects.update(state=Lab.State.ABSENT)
    remove_old_recordings()
    assert not TerminalSession.objects.exists()


def test_a_class_may_say_that_its_terminals_are_not_recorded(owner):
    classroom = make_classroom(teacher=make_user(), students=[owner])
    assert open_session(owner=owner, number=1).is_recorded
    classroom.records_terminals = False
    classroom.save()
    assert not open_session(owner=owner, number=2).is_recorded


# Tickets


def test_a_ticket_says_who_may_sit_at_which_terminal(owner):
    session = make_terminal(owner, lab_generation=3)
    ticket = read_ticket(issue_ticket(session, owner))
    assert ticket is not None
    assert (ticket.session_id, ticket.user_id, ticket.generation) == (session.pk, owner.pk, 3)


@pytest.mark.parametrize("text", ["", "forged", "WyJhIl0:1tXyz:AAAA", "é"])
def test_what_is_no_ticket_of_ours_is_none(text):
    assert read_ticket(text) is None


def test_a_ticket_of_another_kind_of_signature_is_none(owner):
    facts = [str(make_terminal(owner).pk), owner.pk, 0]
    assert read_ticket(signing.dumps(facts, salt=f"{SALT}.other")) is None


def test_a_ticket_is_soon_worthless(owner, monkeypatch):
    text = issue_ticket(make_terminal(owner), owner)
    now = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: now + LIVES_S + 2)
    assert read_ticket(text) is None


def test_a_ticket_fits_the_container_that_it_was_made_for_and_no_later_one(owner):
    session = make_terminal(owner, lab_generation=3)
    ticket = read_ticket(issue_ticket(session, owner))
    assert ticket is not None
    assert fits(ticket, session)
    session.lab_generation = 4
    assert not fits(ticket, session)


# Origin


def asks(origin, host="lab.example.org"):
    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    return is_from_here({"headers": headers[: 1 + bool(origin)]})


@pytest.fixture
def ours(settings):
    settings.ALLOWED_HOSTS = ["lab.example.org"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://school.example.org"]


@pytest.mark.parametrize("origin", ["https://lab.example.org", "https://school.example.org"])
def test_a_page_of_this_site_may_ask(ours, origin):
    assert asks(origin)


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "https://evil.example.org",
        "https://lab.example.org.evil.org",
        "https://lab.example.org:8443",
        "ftp://lab.example.org",
    ],
)
def test_a_page_of_another_site_may_not(ours, origin):
    assert not asks(origin)


def test_a_host_that_is_not_ours_may_not_even_as_its_own_origin(ours):
    assert not asks("https://evil.example.org", host="evil.example.org")
