"""A terminal's hub against browsers that send anything: one student's can't hurt the rest."""

from __future__ import annotations

import asyncio

import pytest

from labs.engine.frames import Frame
from labs.models import AuditEntry, TerminalSession
from labs.recordings import events_of, marks_in
from labs.terminal_hub import OWN_SEATS, Hub
from labs.terminal_seat import WORDS_AHEAD
from labs.terminal_threads import close_threads, with_rows
from tests.factories import make_terminal, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def threads():
    yield
    close_threads()


class QuietLine:
    """A line to a lab that never answers."""

    def __init__(self):
        self.begun = 0

    def begin(self, *args, **kwargs):
        self.begun += 1
        return self.begun

    def send(self, *args):
        """Nobody waits for it."""

    def end(self, number):
        """Nothing is kept of it."""

    def close(self):
        """It was never open."""


class CuttableLine(QuietLine):
    """Tells whether it was cut."""

    is_cut = False

    def close(self):
        self.is_cut = True


async def send_nothing(message):
    await asyncio.Event().wait()


WITHIN_S = 30


async def quiet(hub):
    """Until all that the hub has begun is done."""
    while hub._tasks or hub._flush_at is not None:
        await asyncio.sleep(0.02)


def frame(word, body=b"", **fields):
    return Frame(1, word, tuple((name, str(value)) for name, value in fields.items()), body)


def scene(play):
    """What `play` returns, which gets the hub of a fresh terminal; and the terminal."""
    session = make_terminal(make_user("ada"))
    session = TerminalSession.objects.select_related("owner", "lab").get(pk=session.pk)

    async def run():
        async with asyncio.timeout(WITHIN_S):
            return await play(Hub(session, QuietLine()))

    return asyncio.run(run()), session


def test_a_mark_with_half_a_character_ends_no_recording():
    async def play(hub):
        seat = hub.sit(send_nothing, user=hub.session.owner, is_owner=True)
        hub.hear(seat, {"mark": "Crash \ud800 at A3"})
        hub._record(frame("shown", b"$ ls\r\n", offset=0, at_ms=5))
        await quiet(hub)
        hub._record(frame("shown", b"secret\r\n", offset=6, at_ms=9))
        await quiet(hub)

    _, session = scene(play)
    events = list(events_of(session))
    assert [event.data for event in events if event.code == "o"] == ["$ ls\r\n", "secret\r\n"]
    assert [mark.line for mark in marks_in(events)] == ["Crash ? at A3"]


def test_what_comes_while_a_piece_is_stored_is_recorded_too_and_then_the_hub_ends():
    async def play(hub):
        hub._record(frame("shown", b"first ", offset=0, at_ms=5))
        while not hub._tasks:
            await asyncio.sleep(0)  # a pause could miss a piece that is stored at once
        hub._record(frame("shown", b"last", offset=6, at_ms=9))
        hub._record(frame("over", reason="exited", exit_code=0))
        await quiet(hub)
        return hub.is_over

    is_over, session = scene(play)
    assert is_over
    assert "".join(event.data for event in events_of(session)) == "first last"


def test_marks_without_end_are_kept_to_a_hundred():
    async def play(hub):
        seat = hub.sit(send_nothing, user=hub.session.owner, is_owner=True)
        for number in range(5_000):
            hub.hear(seat, {"mark": f"{number} {'x' * 190}"})
        hub._record(frame("shown", b"$ ", offset=0, at_ms=5))
        await quiet(hub)

    _, session = scene(play)
    assert len(marks_in(events_of(session))) == 100


def test_a_browser_that_asks_and_never_reads_has_to_go():
    async def play(hub):
        seat = hub.sit(send_nothing, user=hub.session.owner, is_owner=True)
        for _ in range(WORDS_AHEAD * 2):
            hub.hear(seat, {"are_you_there": True})
        return seat.close_code, len(seat._out)

    (code, kept), _ = scene(play)
    assert code == Hub.CUT_OFF
    assert kept <= WORDS_AHEAD


def test_sending_away_and_lending_to_nobody_fill_no_audit_log():
    async def play(hub):
        seat = hub.sit(send_nothing, user=hub.session.owner, is_owner=True)
        for _ in range(50):
            hub.hear(seat, {"send_away": "nobody"})
            hub.hear(seat, {"lend": "nobody", "may_type": True})
        await quiet(hub)

    scene(play)
    assert not AuditEntry.objects.exists()


def test_lending_twice_is_one_deed():
    async def play(hub):
        teacher = await with_rows(make_user, "grace")
        seat = hub.sit(send_nothing, user=hub.session.owner, is_owner=True)
        watcher = hub.sit(send_nothing, user=teacher, is_owner=False)
        for _ in range(5):
            hub.hear(seat, {"lend": "grace", "may_type": True})
        await quiet(hub)
        return watcher.may_type

    may_type, _ = scene(play)
    assert may_type
    assert AuditEntry.objects.filter(action="lend keyboard").count() == 1


def test_who_was_sent_away_types_no_more():
    async def play(hub):
        teacher = await with_rows(make_user, "grace")
        seat = hub.sit(send_nothing, user=hub.session.owner, is_owner=True)
        watcher = hub.sit(send_nothing, user=teacher, is_owner=False)
        hub.hear(seat, {"lend": "grace", "may_type": True})
        hub.hear(seat, {"send_away": "grace"})
        await quiet(hub)
        return watcher.may_type

    may_type, _ = scene(play)
    assert not may_type


def test_a_students_own_tabs_keep_no_teacher_out():
    async def play(hub):
        seats = [hub.sit(send_nothing, user=hub.session.owner, is_owner=True) for _ in range(30)]
        return [seat.close_code for seat in seats]

    codes, _ = scene(play)
    assert codes == [Hub.SENT_AWAY] * (30 - OWN_SEATS) + [0] * OWN_SEATS


def test_a_lab_that_floods_without_credit_is_cut_off_and_little_of_it_is_kept():
    async def play(hub):
        hub.line = CuttableLine()
        seat = hub.sit(send_nothing, user=hub.session.owner, is_owner=True)
        while not hub.line.is_cut:
            seat._take(frame("shown", b"x" * 100_000))
        kept = sum(len(piece) for piece in seat._out if isinstance(piece, bytes))

        hub.line.is_cut, offset = False, 0
        while not hub.line.is_cut:
            hub._record(frame("shown", b"x" * 100_000, offset=offset, at_ms=1))
            offset += 100_000
        return kept, offset

    (kept, recorded), _ = scene(play)
    assert kept < 500_000
    assert recorded < 2_000_000
