"""The Docker engine of this machine: the only module that knows Docker's SDK.

What a container is stands in `container`, what is said to its supervisor in `supervisor_link`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import docker
import docker.errors
import requests.exceptions
from docker.transport import UnixHTTPAdapter

from labs.engine.base import (
    DiskFull,
    EngineDown,
    EngineError,
    ImageMissing,
    LabGone,
    LabSpec,
    LabStatus,
    NameTaken,
    SupervisorLink,
)
from labs.engine.container import LABEL, container_config, container_name
from labs.engine.exec_stream import ExecStream
from labs.engine.links import Links
from labs.engine.usage import ImageStatus, read_image
from labs.engine.wire import Broken

RELAY = ["nc", "-N", "-U", "/run/agent-lab/socket"]
LEND_PIPES = ["sh", "-c", "exec nc -d -U /run/agent-lab/direct 3<&0"]
"""The supervisor takes over this exec's pipes, which gVisor's kernel hands on to nobody."""
LENDING = ("runc", "io.containerd.runc.v2")
NAME_FREE_S = 10.0
READY_S = 15.0
KEPT_CONNECTIONS = 3
LOCAL = "http+docker://"
ENDED = ("created", "exited", "dead", "removing")
NO_SPACE = "no space left on device"


class _Conflict(EngineError):
    """The engine's 409: a name in use, a removal under way, a container that isn't running."""


class _Client(docker.APIClient):
    """Keeps few connections, and closes them when the thread that it belongs to has ended."""

    def __init__(self, base_url: str | None, version: str, timeout_s: int) -> None:
        super().__init__(base_url=base_url, version=version, timeout=timeout_s)
        adapter = self.get_adapter(LOCAL)
        if isinstance(adapter, UnixHTTPAdapter):
            # The SDK's own keeps one connection for each address, 25 of them in every thread.
            socket_url = f"http+unix://{adapter.socket_path}"
            few = UnixHTTPAdapter(socket_url, timeout_s, pool_connections=KEPT_CONNECTIONS)
            self.mount(LOCAL, few)
            adapter.close()

    def __del__(self) -> None:
        with suppress(AttributeError):  # its making may have failed half way
            self.close()


class _Own:
    """What belongs to one process: an SDK client must not cross a fork."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.links = Links()
        self.api_version = "auto"
        self.of_thread = threading.local()


class DockerEngine:
    """One object serves all threads of a process; a forked child opens its own lines."""

    def __init__(self, installation: str, timeout_s: int = 30, base_url: str | None = None) -> None:
        self._installation = installation
        self._timeout_s = timeout_s
        self._base_url = base_url or os.environ.get("DOCKER_HOST")
        self._own = _Own()

    def ping(self) -> str:
        with _translated():
            return str(self._client().version()["Version"])

    def resolve_image(self, reference: str) -> str:
        with _translated():
            found = self._client().inspect_image(reference)  # type: ignore[no-untyped-call]
            return str(found["Id"])

    # Labs

    def create_lab(self, spec: LabSpec) -> LabStatus:
        container_id = self._create(spec)
        try:
            with _translated():
                self._client().start(container_id)
            self._await_supervisor(container_id)
            return self.inspect_lab(container_id)
        except EngineError:
            self.remove_lab(container_id)
            raise

    def find_lab(self, lab_id: str) -> LabStatus | None:
        return next(iter(self._list(f"{LABEL}.lab={lab_id}")), None)

    def list_labs(self) -> Sequence[LabStatus]:
        found = self._list()
        self._mine().links.forget_broken({status.container_id for status in found})
        return found

    def inspect_lab(self, container_id: str) -> LabStatus:
        with _translated():
            found = self._client().inspect_container(container_id)
        labels, state = found["Config"]["Labels"], found["State"]
        status = _status(found["Id"], labels, state["Status"], found["Image"])
        return replace(status, started_at=state["StartedAt"], is_out_of_memory=state["OOMKilled"])

    def started_at(self, container_id: str) -> str:
        links = self._mine().links
        return links.started_at(container_id, lambda: self.inspect_lab(container_id).started_at)

    def pause_lab(self, container_id: str) -> None:
        self._freeze(container_id, "pause", "paused")

    def wake_lab(self, container_id: str) -> None:
        self._freeze(container_id, "unpause", "running")

    def _freeze(self, container_id: str, word: str, wanted: str) -> None:
        try:
            with _translated():
                getattr(self._client(), word)(container_id)
        except EngineError as error:
            state = self.inspect_lab(container_id).state
            if state in ENDED:
                raise LabGone(f"The lab's container is {state}.") from error
            if state != wanted:
                raise

    def memory_bytes(self) -> int:
        with _translated():
            return int(self._client().info()["MemTotal"])

    def list_images(self) -> Sequence[ImageStatus]:
        with _translated():
            found = self._client().images(filters={"label": f"{LABEL}.image"})
        return [read_image(row) for row in found]

    def remove_lab(self, container_id: str) -> None:
        self._mine().links.drop(container_id)
        with suppress(LabGone, _Conflict), _translated():
            self._client().remove_container(container_id, force=True, v=True)

    def link(self, container_id: str) -> SupervisorLink:
        link = self._mine().links.of(container_id, lambda: self._open_stream(container_id))
        try:
            link.open()
        except LabGone:
            self._mine().links.drop(container_id)
            raise
        return link

    def open_line(self, container_id: str) -> ExecStream:
        """A line of the caller's own to the lab's supervisor, not yet greeted."""
        with _translated():
            runtime = self._client().inspect_container(container_id)["HostConfig"]["Runtime"]
        return self._open_stream(container_id, LEND_PIPES if runtime in LENDING else RELAY)

    # Creating

    def _create(self, spec: LabSpec) -> str:
        config = container_config(spec, self._installation)
        name = container_name(self._installation, spec.lab_id)
        give_up_at = time.monotonic() + NAME_FREE_S
        while True:
            try:
                with _translated():
                    made = self._client().create_container_from_config(  # type: ignore[no-untyped-call]
                        config, name
                    )
                return str(made["Id"])
            except _Conflict:
                if time.monotonic() > give_up_at:
                    raise
                self._free_name(name, spec)

    def _free_name(self, name: str, spec: LabSpec) -> None:
        """Removes an earlier container of this lab. Raises EngineError for anybody else's."""
        try:
            with _translated():
                found = self._client().inspect_container(name)
        except LabGone:
            time.sleep(0.05)  # it is on its way out
            return
        labels = found["Config"]["Labels"] or {}
        is_ours = labels.get(f"{LABEL}.installation") == self._installation
        if not is_ours or labels.get(f"{LABEL}.lab") != spec.lab_id:
            raise NameTaken(f"A container called {name} is not ours. It is left alone.")
        if int(labels[f"{LABEL}.generation"]) > spec.generation:
            raise EngineError(f"A newer generation of lab {spec.lab_id} exists already.")
        self.remove_lab(found["Id"])

    def _await_supervisor(self, container_id: str) -> None:
        give_up_at = time.monotonic() + READY_S
        while True:
            try:
                self.link(container_id)
                return
            except Broken:
                if time.monotonic() > give_up_at:
                    raise EngineError("The lab's supervisor did not come up.") from None

    # Reading

    def _list(self, *labels: str) -> list[LabStatus]:
        filters = {"label": [f"{LABEL}.installation={self._installation}", *labels]}
        with _translated():
            rows = self._client().containers(all=True, filters=filters)
        return [_status(row["Id"], row["Labels"], row["State"], row["ImageID"]) for row in rows]

    # Links

    def _open_stream(self, container_id: str, relay: Sequence[str] = RELAY) -> ExecStream:
        try:
            with _translated():
                return self._execute_relay(container_id, relay)
        except _Conflict:
            state = self.inspect_lab(container_id).state
            if state in ("running", "paused"):
                raise EngineError(f"The lab can't be reached: it is {state}.") from None
            raise LabGone(f"The lab's container is {state}.") from None

    def _execute_relay(self, container_id: str, relay: Sequence[str]) -> ExecStream:
        """Root, in `/`: a student's directory would be a way out of the container."""
        client = self._client()
        made = client.exec_create(container_id, list(relay), stdin=True, user="0:0", workdir="/")
        return ExecStream(client.exec_start(made["Id"], socket=True))

    # Clients

    def _mine(self) -> _Own:
        if self._own.pid != os.getpid():
            self._own = _Own()
        return self._own

    def _client(self) -> _Client:
        """This thread's kept client: making one for each call costs more than the call."""
        own = self._mine()
        client: _Client | None = getattr(own.of_thread, "client", None)
        if client is None:
            client = _Client(self._base_url, own.api_version, self._timeout_s)
            own.api_version = client.api_version
            own.of_thread.client = client
        return client


def _status(container_id: str, labels: Mapping[str, str], state: str, image: str) -> LabStatus:
    return LabStatus(
        lab_id=labels[f"{LABEL}.lab"],
        generation=int(labels[f"{LABEL}.generation"]),
        container_id=container_id,
        state=state,
        image=image,
        spec_hash=labels[f"{LABEL}.spec"],
    )


@contextmanager
def _translated() -> Iterator[None]:
    """Turns the SDK's errors into ours: nothing of it leaves this module."""
    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise ImageMissing(f"The image is not on this machine: {_words(error)}") from error
    except docker.errors.NotFound as error:
        raise LabGone("The lab's container is no longer there.") from error
    except docker.errors.APIError as error:
        raise _refusal(error)(f"The engine refused: {_words(error)}") from error
    except requests.exceptions.ReadTimeout as error:
        raise EngineError("The engine did not answer in time.") from error
    except (requests.exceptions.RequestException, docker.errors.DockerException) as error:
        raise EngineDown("Nobody answers at the engine's socket.") from error


def _refusal(error: docker.errors.APIError) -> type[EngineError]:
    if error.status_code == 409:
        return _Conflict
    return DiskFull if NO_SPACE in _words(error).lower() else EngineError


def _words(error: Any) -> str:
    return str(error.explanation or error).strip()
