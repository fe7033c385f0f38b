"""The supervisor's one loop: descriptors that are ready, moments that come, children that end."""

from __future__ import annotations

import os
import sys
from _signal import SIGCHLD, set_wakeup_fd, signal  # type: ignore[import-not-found]  # small
from select import EPOLLERR, EPOLLIN, EPOLLOUT, epoll
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from resource import struct_rusage


class Loop:
    """Calls back, one thing at a time. A failing callback is reported and never ends the loop."""

    def __init__(self) -> None:
        self.is_childless = True
        """Nothing that a run has started is left: orphans become children of process 1."""
        self._epoll = epoll()
        self._handlers: dict[int, Callable[[int], object]] = {}
        self._paused: set[int] = set()
        self._moments: dict[object, tuple[float, Callable[[], None]]] = {}
        self._children: dict[int, Callable[[int, struct_rusage], None]] = {}
        wakeup, wakeup_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
        signal(SIGCHLD, lambda *_: None)
        self.watch(wakeup, lambda _: self._reap(wakeup))

    def watch(self, fd: int, handler: Callable[[int], object], events: int = EPOLLIN) -> None:
        """Calls `handler` with what is ready on `fd`, from now on."""
        self._epoll.register(fd, events)
        self._handlers[fd] = handler

    def change(self, fd: int, events: int) -> None:
        self._epoll.modify(fd, events)

    def pause(self, fd: int) -> None:
        """Doesn't even hear that the other end is closed, which no mask keeps away."""
        if fd not in self._paused:
            self._paused.add(fd)
            self._epoll.unregister(fd)

    def resume(self, fd: int) -> None:
        if fd in self._paused:
            self._paused.remove(fd)
            self._epoll.register(fd, EPOLLIN)

    def close(self, fd: int) -> None:
        """Stops watching and closes it."""
        del self._handlers[fd]
        if fd in self._paused:
            self._paused.remove(fd)
        else:
            self._epoll.unregister(fd)
        os.close(fd)

    def call_at(self, key: object, when: float, callback: Callable[[], None]) -> None:
        """Calls once at `when` (monotonic seconds). A key has one moment: the latest set."""
        self._moments[key] = (when, callback)

    def cancel(self, key: object) -> None:
        self._moments.pop(key, None)

    def expect(self, pid: int, callback: Callable[[int, struct_rusage], None]) -> None:
        """Calls with status and usage when this child has ended."""
        self.is_childless = False
        self._children[pid] = callback

    def run_forever(self) -> None:
        while True:
            for fd, events in self._epoll.poll(self._timeout()):
                if (handler := self._handlers.get(fd)) is not None:
                    self._call(handler, events)
            self._call_due()

    def _timeout(self) -> float:
        if not self._moments:
            return -1
        return max(0.0, min(when for when, _ in self._moments.values()) - monotonic())

    def _call_due(self) -> None:
        if not self._moments:
            return
        now = monotonic()
        due = [key for key, (when, _) in self._moments.items() if when <= now]
        for key in due:
            if key in self._moments:
                self._call(self._moments.pop(key)[1])

    def _reap(self, wakeup: int) -> None:
        os.read(wakeup, 4096)
        ended = []
        try:
            while (child := os.wait4(-1, os.WNOHANG))[0]:
                ended.append(child)
        except ChildProcessError:
            self.is_childless = True
        for pid, status, usage in ended:
            if (callback := self._children.pop(pid, None)) is not None:
                self._call(callback, status, usage)

    @staticmethod
    def _call(callback: Callable[..., object], *arguments: object) -> None:
        try:
            callback(*arguments)
        except Exception:  # noqa: BLE001  process 1 must outlive any mistake of its own
            sys.excepthook(*sys.exc_info())


class Writer:
    """Bytes on their way into a pipe that may be full."""

    def __init__(self, loop: Loop, fd: int) -> None:
        self.when_empty: Callable[[], None] = _nothing
        self._loop = loop
        self._fd = fd
        self._pending = bytearray()
        self._is_ending = False
        os.set_blocking(fd, False)
        loop.watch(fd, self._writable, 0)

    def __len__(self) -> int:
        return len(self._pending)

    def write(self, data: bytes) -> None:
        """Takes all of it; what a closed pipe doesn't want is dropped."""
        if self._fd >= 0:
            self._pending += data
            self._writable(0)

    def end(self) -> None:
        """Closes the pipe once everything is written."""
        self._is_ending = True
        self._writable(0)

    def close(self) -> None:
        if self._fd >= 0:
            self._loop.close(self._fd)
            self._fd = -1
        self._pending.clear()
        self.when_empty()

    def _writable(self, events: int) -> None:
        if events & EPOLLERR or self._fd < 0:
            self.close()
            return
        try:
            while self._pending:
                del self._pending[: os.write(self._fd, self._pending[:65536])]
        except BlockingIOError:
            self._loop.change(self._fd, EPOLLOUT)
            return
        except OSError:
            self.close()
            return
        if self._is_ending:
            self.close()
        elif self._fd >= 0:
            self._loop.change(self._fd, 0)
            self.when_empty()


def _nothing() -> None:
    """Nobody waits."""
