"""What a lab's container is, as the engine's API spells it. Pure: numbers in, one mapping out.

Every line is there for a measured reason, named beside it where it isn't plain.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from labs.engine.base import EngineError, LabSpec, Limits

WORKSPACE = "/home/node/project"
SUPERVISOR_DIRECTORY = "/run/agent-lab"
LABEL = "agent-lab"
PIDS_WITH_RUNTIME = 512
SECCOMP_FILE = Path(__file__).with_name("seccomp.json")


def container_name(installation: str, lab_id: str) -> str:
    return f"agent-lab-{installation}-{lab_id}"


def container_config(spec: LabSpec, installation: str) -> Mapping[str, Any]:
    """The body of the engine's create request. Raises EngineError for limits that can't hold."""
    _check(spec.limits)
    config: dict[str, Any] = {
        "Image": spec.image,
        "Hostname": "agent",
        "User": "0:0",
        "WorkingDir": "/",
        "StopSignal": "SIGKILL",
        "Env": _env(spec),
        "HostConfig": _host_config(spec),
    }
    config["Labels"] = {
        f"{LABEL}.installation": installation,
        f"{LABEL}.lab": spec.lab_id,
        f"{LABEL}.generation": str(spec.generation),
        f"{LABEL}.spec": _hash(config),
    }
    return config


def _check(limits: Limits) -> None:
    if limits.tmpfs_bytes() * 2 > limits.memory_bytes:
        # Files in memory could then leave none for any command, not even for rm.
        raise EngineError("A lab's files may take at most half of its memory.")
    if limits.nproc >= limits.pids:
        raise EngineError("A lab's process limit must leave room for its supervisor.")


def _hash(config: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:16]


def _env(spec: LabSpec) -> list[str]:
    heap_mib = spec.limits.memory_bytes * 5 // 8 // 2**20
    return [
        f"AGENT_LAB_UID={spec.uid}",
        # Node would otherwise grow until it is killed without a word.
        f"NODE_OPTIONS=--max-old-space-size={heap_mib}",
    ]


def _host_config(spec: LabSpec) -> dict[str, Any]:
    return {**_confinement(spec), **_resources(spec.limits), **_room_for_runtime(spec)}


def _confinement(spec: LabSpec) -> dict[str, Any]:
    return {
        "NetworkMode": "none",
        "Dns": ["127.0.0.1"],  # else the host's own resolv.conf shows
        "IpcMode": "private",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "CapAdd": ["SETUID", "SETGID", "KILL"],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={_seccomp()}"],
        "Tmpfs": _tmpfs(spec),
        "Init": False,  # the supervisor is process 1 itself: orphans become its children
        "LogConfig": {"Type": "none"},
        "RestartPolicy": {"Name": "no"},
        "AutoRemove": False,
        "Privileged": False,
        **({"Runtime": spec.runtime} if spec.runtime else {}),
    }


def _resources(limits: Limits) -> dict[str, Any]:
    return {
        "Memory": limits.memory_bytes,
        "MemorySwap": limits.memory_bytes,
        "MemorySwappiness": 0,
        "OomScoreAdj": 500,
        "NanoCpus": int(limits.cpus * 1_000_000_000),
        "CpuShares": 256,
        "PidsLimit": limits.pids,
        "ShmSize": limits.shm_bytes,
        "Ulimits": [
            {"Name": name, "Soft": value, "Hard": value} for name, value in _ulimits(limits)
        ],
    }


def _ulimits(limits: Limits) -> list[tuple[str, int]]:
    return [
        ("nproc", limits.nproc),
        ("nofile", limits.nofile),
        ("core", 0),
        ("fsize", limits.file_bytes),
        ("memlock", 64 * 1024),
        ("msgqueue", 0),
    ]


def _room_for_runtime(spec: LabSpec) -> dict[str, int]:
    """gVisor's own threads count as well: with 128, sixty busy processes ended the whole lab."""
    return {"PidsLimit": max(spec.limits.pids, PIDS_WITH_RUNTIME)} if spec.runtime else {}


def _tmpfs(spec: LabSpec) -> dict[str, str]:
    limits, student = spec.limits, f"uid={spec.uid},gid={spec.uid}"
    return {
        WORKSPACE: _mount(limits.workspace_bytes, 16384, f"exec,{student},mode=0755"),
        "/tmp": _mount(limits.tmp_bytes, 8192, "exec,mode=1777"),  # noqa: S108  inside the lab
        SUPERVISOR_DIRECTORY: _mount(limits.supervisor_bytes, 2048, "noexec,mode=0700"),
        "/run/names": _mount(64 * 1024, 16, "noexec,mode=0755"),  # where /etc/passwd leads
    }


def _mount(size_bytes: int, inodes: int, rest: str) -> str:
    return f"rw,nosuid,nodev,size={size_bytes},nr_inodes={inodes},{rest}"


@cache
def _seccomp() -> str:
    """One line, without the spaces: the engine compiles it anew at every start."""
    return json.dumps(json.loads(SECCOMP_FILE.read_text()), separators=(",", ":"))
