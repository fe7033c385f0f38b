"""A line to the site without a relay between: the very pipes of its `docker exec`.

Who connects to the socket for this only lends its standard input and output, and stays as long as
the socket. Each key then costs two hops between processes less.
"""

from __future__ import annotations

import os
from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_STREAM, SOL_SOCKET, socket
from select import EPOLLIN, EPOLLOUT
from struct import Struct

from connection import Connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from answers import Answers
    from loop import Loop

SO_PEERCRED = 17
LENDER = Struct("3i")  # process, user and group id
LENT_INPUT, LENT_OUTPUT = 3, 1


class DirectConnection(Connection):
    """Reads from one pipe, writes into another, and ends with the socket of who lent them."""

    def __init__(self, loop: Loop, lender: socket, answers: Answers) -> None:
        pid, _, _ = LENDER.unpack(lender.getsockopt(SOL_SOCKET, SO_PEERCRED, LENDER.size))
        flags = os.O_CLOEXEC | os.O_NONBLOCK
        out_fd = os.open(f"/proc/{pid}/fd/{LENT_OUTPUT}", os.O_WRONLY | flags)
        super().__init__(
            loop, os.open(f"/proc/{pid}/fd/{LENT_INPUT}", os.O_RDONLY | flags), answers.answer
        )
        self._lender = lender.detach()
        self._out_fd = out_fd
        self._is_waiting = False
        loop.watch(out_fd, self._writable, 0)
        loop.watch(self._lender, lambda _: self.close())

    def _writable(self, events: int) -> None:
        if events & ~EPOLLOUT:
            self.close()
        else:
            self._flush()

    def _set_events(self) -> None:
        if self._fd < 0:
            return
        events = EPOLLIN if self._is_reading else 0
        if events != self._events:
            self._events = events
            self._loop.change(self._fd, events)
        if self._is_waiting != bool(self._out):
            self._is_waiting = bool(self._out)
            self._loop.change(self._out_fd, EPOLLOUT if self._is_waiting else 0)

    def close(self) -> None:
        if self._fd >= 0:
            super().close()
            self._loop.close(self._out_fd)
            self._loop.close(self._lender)


def listen(loop: Loop, answers: Answers, path: str) -> None:
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
    listener.bind(path)
    listener.listen(16)

    def accept(events: int) -> None:
        fd, _ = listener._accept()  # type: ignore[attr-defined]  # `socket` is a megabyte
        lender = socket(AF_UNIX, SOCK_STREAM, 0, fd)
        try:
            DirectConnection(loop, lender, answers)
        except OSError:
            lender.close()  # who lends hears that it was in vain, and ends

    loop.watch(listener.fileno(), accept)
