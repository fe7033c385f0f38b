"""Asking for a run that is typed into one's terminal: the same rules as any press, and one more."""

from __future__ import annotations

import uuid

import pytest

from labs.models import Lab, Run
from labs.refusal import Refused
from labs.rendering import headline_of
from labs.requests import request_run
from labs.runs import STATE_OF_REASON
from labs.terminals import close_session
from tests.factories import make_finished_run, make_terminal, make_user

pytestmark = pytest.mark.django_db

LINE = "docker exec agent node batch1.js"


@pytest.fixture
def owner():
    return make_user()


@pytest.fixture
def terminal(owner):
    return opened_by(owner)


def opened_by(person):
    """A terminal with its shell in the container of now."""
    session = make_terminal(person, lab_generation=3)
    Lab.objects.filter(pk=session.lab_id).update(state=Lab.State.READY, generation=3)
    return session


def ask(owner, terminal, key=None, line=LINE):
    fields = {"key": key or uuid.uuid4(), "origin": "checkpoints#resume", "line": line}
    return request_run(owner=owner, terminal=terminal.pk, **fields)


def test_it_is_a_queued_run_that_says_where_it_is_typed(owner, terminal):
    run = ask(owner, terminal)
    assert (run.state, run.typed_into, run.argv) == ("queued", terminal.pk, ["node", "batch1.js"])


def test_a_press_repeated_is_the_same_run_even_when_its_terminal_has_ended(owner, terminal):
    key = uuid.uuid4()
    run = ask(owner, terminal, key)
    close_session(terminal, reason="exited")
    assert ask(owner, terminal, key) == run
    assert Run.objects.count() == 1


def test_a_terminal_that_has_ended_is_refused_in_words_and_leaves_no_row(owner, terminal):
    close_session(terminal, reason="exited")
    with pytest.raises(Refused, match="nothing was typed and nothing was run"):
        ask(owner, terminal)
    assert not Run.objects.exists()


def test_a_terminal_of_a_container_before_this_one_is_refused(owner, terminal):
    Lab.objects.update(generation=4)
    with pytest.raises(Refused, match="Your shell has ended"):
        ask(owner, terminal)


def test_somebody_elses_terminal_is_refused_as_if_it_were_not_there(owner):
    with pytest.raises(Refused, match="Your shell has ended"):
        ask(owner, opened_by(make_user("other")))


def test_another_run_that_is_under_way_is_refused_as_ever(owner, terminal):
    ask(owner, terminal)
    with pytest.raises(Refused, match="still running"):
        ask(owner, terminal)


@pytest.mark.parametrize(
    ("reason", "words"),
    [("not_typed", "Not run"), ("terminal_gone", "Stopped: its terminal was closed")],
)
def test_what_became_of_it_is_said_in_words(owner, reason, words):
    run = make_finished_run(owner, reason=reason, state=STATE_OF_REASON[reason], exit_code=None)
    assert headline_of(run) == words


def test_a_run_that_was_not_typed_into_a_busy_shell_wakes_no_admin(owner):
    make_finished_run(owner, state=Run.State.LOST, reason="not_typed", exit_code=None)
    lab_gone = make_finished_run(owner, state=Run.State.LOST, reason="lab_gone", exit_code=None)
    assert list(Run.objects.lost()) == [lab_gone]
