"""What the site asks of an engine that keeps labs: plain values in and out, no Django, no SDK.

Docker is the one implementation (`docker_engine`); tests make small failing ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from labs.engine.archive import Fetched
from labs.engine.usage import ImageStatus, Usage

MIB = 1024 * 1024


class EngineError(Exception):
    """Our side failed: the engine is down, refused, or did not answer in time."""


class EngineDown(EngineError):
    """Nobody answers at the engine's socket."""


class DiskFull(EngineError):
    """The host has no room left for a container or its image."""


class NameTaken(EngineError):
    """A container that is not ours has a lab's name. It is left alone."""


class ImageMissing(EngineError):
    """The image that a lab needs is not on this host."""


class LabGone(EngineError):
    """The container, or the supervisor inside it, is no longer there."""


class UnknownRun(EngineError):
    """The supervisor has never been asked to start this run id."""


class RunForgotten(EngineError):
    """The run was over, and its output has been dropped since."""


class FilesNotRestored(EngineError):
    """The lab answers, but its workspace can't take these files."""


@dataclass(frozen=True)
class Limits:
    """Hard limits of one lab. The tmpfs sizes together may be at most half the memory."""

    memory_bytes: int = 256 * MIB
    cpus: float = 0.5
    pids: int = 128
    nproc: int = 96
    nofile: int = 256
    file_bytes: int = 64 * MIB
    workspace_bytes: int = 64 * MIB
    tmp_bytes: int = 32 * MIB
    supervisor_bytes: int = 16 * MIB
    shm_bytes: int = 8 * MIB

    def tmpfs_bytes(self) -> int:
        return self.workspace_bytes + self.tmp_bytes + self.supervisor_bytes + self.shm_bytes


@dataclass(frozen=True)
class LabSpec:
    """One generation of one lab, as it is to be created."""

    lab_id: str
    generation: int
    uid: int
    """Unique to the lab on its host; user and group id of everything the student runs."""
    image: str
    """By digest (`sha256:…`), so that a lab can say exactly what it ran on."""
    limits: Limits = field(default_factory=Limits)
    runtime: str = ""
    """Empty for the engine's default, `runsc` for gVisor."""


@dataclass(frozen=True)
class LabStatus:
    """A container of ours as the engine sees it."""

    lab_id: str
    generation: int
    container_id: str
    state: str
    """The engine's word: created, running, paused, restarting, removing, exited, dead."""
    image: str
    spec_hash: str
    started_at: str = field(default="", compare=False)
    """In the engine's own words; empty where it was not asked for, as in a list."""
    is_out_of_memory: bool = False
    """It ended because its first process was killed for want of memory."""

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    @property
    def is_paused(self) -> bool:
        return self.state == "paused"


@dataclass(frozen=True)
class RunSpec:
    """One execution. The argv is a list from end to end: no shell of the host ever sees it."""

    run_id: str
    argv: Sequence[str]
    workdir: str = "/home/node/project"
    env: Mapping[str, str] = field(default_factory=dict)
    time_limit_s: float = 60.0
    head_bytes: int = 256 * 1024
    tail_bytes: int = 64 * 1024
    hard_cap_bytes: int = 64 * MIB
    """The run is ended when it has written this much."""
    has_input: bool = False
    """Its standard input is what `send_input` sends; otherwise it is empty."""
    terminal: str = ""
    """Where not empty, it begins by `line` being typed into this terminal of the lab."""
    line: str = ""


@dataclass(frozen=True)
class Output:
    """A piece of what a run wrote. `offset` counts all bytes of both streams in order.

    Bytes that fell between head and tail are missing: then `offset` is beyond the end of the
    piece before it.
    """

    offset: int
    stream: str
    """`stdout` or `stderr`."""
    at_s: float
    """Seconds since the run began, by the supervisor's monotonic clock."""
    data: bytes


@dataclass(frozen=True)
class Exit:
    """How a run ended, in the supervisor's words: the last thing that follows a run's output."""

    reason: str
    """`exited`, `signalled`, `timed_out`, `stopped`, `output_limit` or `not_started`; of a run
    that was to be typed also `not_typed` and `terminal_gone`."""
    exit_code: int | None
    """As a shell shows it: 0 to 255, and 128 + signal when a signal ended it."""
    signal: int | None
    duration_s: float
    bytes_total: int
    lines_total: int
    truncated_bytes: int
    """Written by the run but kept by nobody (between head and tail)."""
    leftovers: int
    """Processes that still ran when the command had ended, and were ended."""
    oom_kills: int | None
    """Processes of the lab killed for want of memory meanwhile; None where nobody can tell."""
    memory_peak_bytes: int | None
    """The whole lab's if this run raised it, otherwise that of the run's largest process."""
    workspace_changed: bool
    """The workspace differs from what was last saved or restored."""
    detail: str = ""
    """A sentence where the reason alone doesn't say it, such as why a command did not start."""
    typed_at_ms: int | None = None
    """Of a run whose line was typed: how long its terminal had been there by then."""


Batch = Sequence[Output | Exit]
"""What came of a run at once. Empty: nothing for a second. An Exit is the last of the last one."""


class SupervisorLink(Protocol):
    """One open line to the supervisor of one lab. Safe to use from several threads.

    Every call has a deadline and raises LabGone or EngineError; none waits for ever.
    """

    def start_run(self, spec: RunSpec) -> bool:
        """True when the run was started now, False when its id was known already."""

    def follow_run(self, run_id: str, offset: int = 0) -> Iterator[Output | Exit | None]:
        """What the run wrote from `offset` on, as it comes, and its Exit as the last value.

        None comes at least once a second while nothing else does, so that the caller can renew
        its lease or turn away. The head comes as it is written, the tail when the run is over.
        Raises UnknownRun, RunForgotten, LabGone.
        """

    def carry_run(
        self, run_id: str, offset: int = 0, *, start: RunSpec | None = None
    ) -> Iterator[Batch]:
        """Like `follow_run`, but what came together comes together.

        With `start`, asks in the same breath to start it, which does nothing for a known id.
        """

    def stop_run(self, run_id: str) -> None:
        """TERM to the run's whole tree, KILL a second later. Already over is success."""

    def send_input(self, run_id: str, data: bytes, *, is_last: bool = False) -> None:
        """Writes to the run's standard input, and closes it after the last. Raises EngineError
        for a run that doesn't read."""

    def list_runs(self) -> Mapping[str, str]:
        """Every run id of the lab's life, with `running` or `over`."""

    def forget_run(self, run_id: str) -> None:
        """Drops the run's spooled output; its id stays known. Raises EngineError while it runs."""

    def usage(self) -> Usage:
        """What the lab uses just now."""

    def fetch_workspace(self) -> AbstractContextManager[Fetched]:
        """The workspace as a tar that a student may have forged, on its way to be sanitised."""

    def save_workspace(self) -> bytes:
        """The workspace as a sanitised, uncompressed tar, read as the student."""

    def restore_workspace(self, archive: bytes) -> None:
        """Empties the workspace and unpacks `archive` as the student."""

    def close(self) -> None: ...


class Line(Protocol):
    """Bytes to and from a supervisor for an event loop; None and 0 mean: not now."""

    def become_ready(self) -> int:
        """The descriptor to wait on."""

    def read_ready(self) -> bytes | None: ...

    def write_ready(self, data: bytes | bytearray | memoryview) -> int: ...

    def close(self) -> None: ...


class Engine(Protocol):
    """Keeps the labs of one host. One object serves all threads of one process."""

    def ping(self) -> str:
        """The engine's version. Raises EngineDown."""

    def resolve_image(self, reference: str) -> str:
        """The digest (`sha256:…`) that `reference` names here. Raises ImageMissing."""

    def create_lab(self, spec: LabSpec) -> LabStatus:
        """Creates and starts the lab and waits until its supervisor answers.

        A half-made container of the same lab and generation is removed first. Raises
        EngineError; what was half-made is then gone.
        """

    def find_lab(self, lab_id: str) -> LabStatus | None: ...

    def list_labs(self) -> Sequence[LabStatus]:
        """Every container of this installation, whatever its state."""

    def inspect_lab(self, container_id: str) -> LabStatus:
        """All that is known of one container. Raises LabGone."""

    def started_at(self, container_id: str) -> str:
        """When the container started, in the engine's own words. Asked anew only when the line
        to its supervisor was cut, as it is by a start. Raises LabGone."""

    def pause_lab(self, container_id: str) -> None:
        """Nothing in it goes on until it is woken; its line stays. Paused already is success.
        Raises LabGone."""

    def wake_lab(self, container_id: str) -> None:
        """Goes on where it was paused. Awake already is success. Raises LabGone."""

    def memory_bytes(self) -> int:
        """What the engine's machine has. Raises EngineDown."""

    def list_images(self) -> Sequence[ImageStatus]:
        """Every agent image on this machine, by the label that `bin/build-image` gives them."""

    def remove_lab(self, container_id: str) -> None:
        """Kills and removes. Already gone, or being removed, is success."""

    def link(self, container_id: str) -> SupervisorLink:
        """The kept link to the lab's supervisor, opened now where there is none. Raises LabGone."""

    def open_line(self, container_id: str) -> Line:
        """A line of the caller's own to the lab's supervisor, not yet greeted. Raises LabGone."""
