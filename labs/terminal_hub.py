"""One terminal in the gateway: everybody who sits at it, and its recorder.

It lives from the first browser that comes to the end of the shell, in one event loop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from labs import audit, keeper, terminals
from labs.engine.base import EngineError
from labs.engine.frames import Frame, Pairs
from labs.engine.terminal_line import TerminalLine
from labs.models import Lab, TerminalSession
from labs.recordings import Recorder
from labs.terminal_seat import Seat, Send
from labs.terminal_threads import with_engine, with_rows
from labs.terminals import Taken

logger = logging.getLogger(__name__)

RECORD_EVERY_S = 1.0
RECORD_WINDOW_BYTES = 256 * 1024
MOST_UNPAID_BYTES = 4 * RECORD_WINDOW_BYTES
"""Far more than a lab was given credit for: no supervisor of ours sends so much."""
TYPING_EVERY_S = 20.0
OWN_SEATS = 6
"""Half of those who may look at one terminal: the other places are for teachers."""


class Hub:
    """Fans one shell out to its seats."""

    OVER = 4410
    CUT_OFF = 4503
    SENT_AWAY = 4403

    def __init__(self, session: TerminalSession, line: TerminalLine) -> None:
        self.session = session
        self.line = line
        self.name: tuple[tuple[str, str], ...] = (("terminal", str(session.pk)),)
        self.seats: list[Seat] = []
        self.size = (80, 24)
        self.is_over = False
        self.when_over: Callable[[], object] = lambda: None
        self._recorder = Recorder(session.recorded_offset, session.recorded_s)
        self._look = 0
        self._unpaid = 0
        self._taken: Taken | None = None
        self._flush_at: asyncio.TimerHandle | None = None
        self._end: Frame | None = None
        self._is_closing = False
        self._typed_at = 0.0
        self._tasks: set[asyncio.Task[Any]] = set()

    # Beginning

    async def begin(self, cols: int, rows: int) -> None:
        """Raises EngineError, LabGone."""
        linger_ms = settings.TERMINAL_LINGER_S * 1000
        sizes: Pairs = (("cols", cols), ("rows", rows), ("linger_ms", linger_ms))
        await self.line.ask("open", (*self.name, *sizes))
        pairs: Pairs = (
            *self.name,
            ("offset", self.session.recorded_offset),
            ("credit", RECORD_WINDOW_BYTES),
            ("pace_ms", int(RECORD_EVERY_S * 1000)),
        )
        self._look = self.line.begin("look", pairs, on_frame=self._record)
        self.size = (cols, rows)
        self._recorder.note("r", f"{cols}x{rows}")

    def sit(self, send: Send, *, user: Any, is_owner: bool) -> Seat:
        seat = Seat(self, send, user=user, is_owner=is_owner)
        if is_owner:
            self._make_room_for_own()
        self.seats.append(seat)
        self.tell_who_watches()
        return seat

    def _make_room_for_own(self) -> None:
        """The tabs that were opened first give way."""
        own = [seat for seat in self.seats if seat.is_owner and not seat.has_left.is_set()]
        for oldest in own[: max(0, len(own) - OWN_SEATS + 1)]:
            oldest.leave(self.SENT_AWAY)
            oldest.end()

    def stand_up(self, seat: Seat) -> None:
        self.seats.remove(seat)
        seat.end()
        self.tell_who_watches()

    # Words of seats

    def tell_who_watches(self) -> None:
        watchers = [
            {"name": seat.user.get_username(), "types": seat.may_type}
            for seat in self.seats
            if not seat.is_owner
        ]
        for seat in self.seats:
            seat.tell({"watchers": watchers, "may_type": seat.may_type})

    def hear(self, seat: Seat, words: dict[str, Any]) -> None:
        """What a browser says besides keys. Only the student's own may change anything."""
        if "are_you_there" in words:
            seat.tell({"here": True})
        if not seat.is_owner:
            return
        match words:
            case {"size": [int(cols), int(rows)]}:
                self._resize(seat, cols, rows)
            case {"mark": str(label)}:
                self._recorder.note("m", label[:200])
            case {"close": True}:
                self.line.send(0, "close", self.name)
            case {"send_away": str(username)}:
                self._send_away(seat, username)
            case {"lend": str(username), "may_type": bool(may_type)}:
                self._lend(seat, username, may_type)

    def _resize(self, by: Seat, cols: int, rows: int) -> None:
        self.size = (max(2, min(cols, 500)), max(2, min(rows, 300)))
        pairs: Pairs = (*self.name, ("cols", self.size[0]), ("rows", self.size[1]))
        self.line.send(0, "size", pairs)
        self._recorder.note("r", "{}x{}".format(*self.size))
        for seat in self.seats:
            if seat is not by:
                seat.tell({"size": self.size})

    def _send_away(self, by: Seat, username: str) -> None:
        if watchers := self._watchers(username):
            for seat in watchers:
                seat.leave(self.SENT_AWAY)
            self._audit(by, "end watching", watcher=username)

    def _lend(self, by: Seat, username: str, may_type: bool) -> None:
        """As it is already is no deed: nothing of the audit log can ever be removed again."""
        changed = [seat for seat in self._watchers(username) if seat.may_type != may_type]
        if not changed:
            return
        for seat in changed:
            seat.may_type = may_type
        self._audit(by, "lend keyboard" if may_type else "take keyboard back", watcher=username)
        self.tell_who_watches()

    def _watchers(self, username: str) -> list[Seat]:
        """Those who are still here."""
        here = [seat for seat in self.seats if not seat.is_owner and not seat.has_left.is_set()]
        return [seat for seat in here if seat.user.get_username() == username]

    def _audit(self, by: Seat, action: str, **detail: object) -> None:
        self.spawn(with_rows(note_deed, by.user, action, self.session, **detail))

    def note_typing(self) -> None:
        """Every now and then: a key itself waits for no row."""
        now = time.monotonic()
        if now - self._typed_at >= TYPING_EVERY_S:
            self._typed_at = now
            self.spawn(self._stay_awake())

    async def _stay_awake(self) -> None:
        try:
            is_here = await with_engine(wake_lab, self.session)
        except EngineError as error:
            logger.warning("lab of terminal %s: %s", self.session.pk, error)
            return
        if not is_here:
            self.line.close()

    # Recording

    def _record(self, frame: Frame | None) -> None:
        if frame is None or frame.word == "error":
            self._stop()
            return
        if frame.word == "shown":
            if self.session.is_recorded and not self.session.is_cut:
                at_s = (frame.number("at_ms") or 0) / 1000
                self._recorder.feed(frame.number("offset") or 0, at_s, frame.body)
            self._unpaid += len(frame.body)
            if self._unpaid > MOST_UNPAID_BYTES:
                self.line.close()
                return
        elif frame.word == "over":
            self._end = frame
        if self._flush_at is None:
            self._flush_later(0 if self._end else RECORD_EVERY_S / 2)

    def _flush_later(self, delay_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._flush_at = loop.call_later(delay_s, lambda: self.spawn(self._flush()))

    async def _flush(self) -> None:
        """Stores what came; only then the lab may send the recorder more."""
        unpaid, self._unpaid = self._unpaid, 0
        self._taken = self._taken or self._recorder.take()
        try:
            if self._taken is not None:
                await with_rows(terminals.store_piece, self.session, self._taken)
        except DatabaseError as error:
            logger.warning("recording of terminal %s waits: %s", self.session.pk, error)
            self._unpaid += unpaid
            self._flush_later(RECORD_EVERY_S)
            return
        if unpaid:
            self.line.send(0, "credit", [("look", self._look), ("bytes", unpaid)])
        await self._flush_on()

    async def _flush_on(self) -> None:
        """Whether more came while the last piece was stored; its end only when all is kept."""
        self._flush_at, self._taken = None, self._recorder.take()
        if self._taken is not None or self._unpaid:
            self._flush_later(0 if self._end else RECORD_EVERY_S / 2)
        elif self._end is not None:
            await self._finish(self._end)

    # Its end

    def shell_is_over(self, end: Frame) -> None:
        """Everybody hears it once the row says so: who then asks for a shell gets a new one."""
        if not self._is_closing:
            self._is_closing = True
            self.spawn(self._close(end))

    async def _close(self, end: Frame) -> None:
        reason, code = end.text("reason"), end.number("exit_code")
        await with_rows(terminals.close_session, self.session, reason=reason, exit_code=code)
        for seat in self.seats:
            seat.tell({"over": reason})
            seat.leave(self.OVER)

    async def _finish(self, end: Frame) -> None:
        """The recorder has seen the end, too."""
        await self._close(end)
        self._stop()

    def _stop(self) -> None:
        """The shell is over, or the line to it is cut: who comes next makes another hub."""
        if not self.is_over:
            self.is_over = True
            self.when_over()
            for seat in self.seats:
                seat.leave(self.CUT_OFF)
            self.line.close()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("terminal %s", self.session.pk, exc_info=error)


def note_deed(actor: Any, action: str, session: TerminalSession, **detail: Any) -> None:
    audit.record(
        actor=actor,
        action=action,
        subject=f"terminal {session.pk}",
        subject_name=session.owner.get_username(),
        **detail,
    )


def wake_lab(session: TerminalSession) -> bool:
    """Typing keeps a lab in use and wakes a paused one. False when its container is another."""
    lab = Lab.objects.get(pk=session.lab_id)
    if lab.generation != session.lab_generation or lab.state not in Lab.STARTED:
        return False
    if lab.state == Lab.State.PAUSED:
        keeper.ensure_lab(lab, keep=lambda: None)
    session.lab = lab
    terminals.note_typing(session)
    return lab.generation == session.lab_generation
