"""The lab as the supervisor knows it: its student, its runs, its workspace."""

from __future__ import annotations

import os

import workspace
from memory import MemoryCounters
from runs import Run, Terms
from spool import Spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from errands import Save
    from loop import Loop
    from processes import Order

MAX_KEPT = 512
SPARE_BYTES = 1024 * 1024


class Refused(Exception):
    """A request that can't be met: a word for the site's code, a sentence for people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class Lab:
    """Knows every run id of the lab's life, so that none is ever executed twice."""

    def __init__(self, loop: Loop, uid: int, directory: str) -> None:
        self.loop = loop
        self.uid = uid
        self.null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        self.memory = MemoryCounters()
        self.live: dict[int, bytes] = {}
        """First processes of what runs now, with the run id that marks their children."""
        self.saves: set[Save] = set()
        """Those whose process lives."""
        self._directory = directory
        self._capacity = _size_of(directory) - SPARE_BYTES
        self._runs: dict[str, Run] = {}
        self._budgets: dict[str, int] = {}
        self._forgotten: set[str] = set()
        self._count = 0
        self._saved_print = workspace.fingerprint(uid)

    def others(self, pid: int) -> dict[int, bytes]:
        return {key: value for key, value in self.live.items() if key != pid}

    # Runs

    def find_run(self, run_id: str) -> Run:
        """Raises Refused for an id that was never started, or is forgotten."""
        if run_id in self._runs:
            return self._runs[run_id]
        if run_id in self._forgotten:
            raise Refused("forgotten", "The output of this run was already dropped.")
        raise Refused("unknown_run", "This lab never started that run.")

    def start_run(
        self,
        run_id: str,
        order: Order,
        terms: Terms,
        budgets: tuple[int, int],
        make: Callable[[Lab, str, Spool, Terms], Run] = Run,
    ) -> bool:
        """False, and nothing else, for an id that is known."""
        if run_id in self._runs or run_id in self._forgotten:
            return False
        self._make_room(sum(budgets))
        self._count += 1
        spool = Spool(f"{self._directory}/spool-{self._count}", *budgets)
        run = make(self, run_id, spool, terms)
        self._runs[run_id] = run
        self._budgets[run_id] = sum(budgets)
        run.start(order)
        return True

    def list_runs(self) -> list[tuple[str, str]]:
        kept = [(run.id, "over" if run.is_over else "running") for run in self._runs.values()]
        return [(run_id, "over") for run_id in self._forgotten] + kept

    def forget_run(self, run_id: str) -> None:
        """Drops the output; the id stays known. Refused while it runs."""
        if run_id in self._forgotten:
            return
        if not (run := self.find_run(run_id)).is_over:
            raise Refused("running", "This run is not over.")
        del self._runs[run_id], self._budgets[run_id]
        self._forgotten.add(run_id)
        run.forget()

    def _make_room(self, need: int) -> None:
        """Lets the oldest output go that nobody fetched, rather than fail a new run."""
        while self._is_full(need):
            oldest = next((run for run in self._runs.values() if run.is_over), None)
            if oldest is None:
                raise Refused("busy", "This lab has too many runs at once.")
            self.forget_run(oldest.id)

    def _is_full(self, need: int) -> bool:
        used = sum(
            run.spool.size if run.is_over else self._budgets[run.id] for run in self._runs.values()
        )
        return used + need > self._capacity or len(self._runs) >= MAX_KEPT

    # Workspace

    def is_workspace_changed(self) -> bool:
        """Whether it differs from what was last saved or restored; True where we can't tell."""
        now = workspace.fingerprint(self.uid)
        return now is None or now != self._saved_print

    def read_print(self) -> int | None:
        return workspace.fingerprint(self.uid)

    def note_saved(self, saved_print: int | None) -> None:
        """None makes every later state count as changed."""
        self._saved_print = saved_print


def _size_of(directory: str) -> int:
    stat = os.statvfs(directory)
    return stat.f_blocks * stat.f_frsize
