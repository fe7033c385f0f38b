"""The container of a lab, as the engine says that it made it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from labs.engine.base import MIB, EngineError, LabSpec, Limits
from labs.engine.container import SECCOMP_FILE, container_config
from tests.engine_fixtures import ReadyLab

SPEC = LabSpec(lab_id="7", generation=3, uid=4711, image="sha256:abc")


@pytest.mark.docker
def test_the_inspected_container_is_confined_as_the_specification_says(
    shared_lab: ReadyLab,
) -> None:
    host = shared_lab.inspect()["HostConfig"]

    assert host["NetworkMode"] == "none"
    assert host["Dns"] == ["127.0.0.1"]
    assert host["IpcMode"] == "private"
    assert host["PidMode"] == host["UTSMode"] == host["UsernsMode"] == ""
    assert host["ReadonlyRootfs"] is True
    assert host["Privileged"] is False
    assert host["CapDrop"] == ["ALL"]
    assert sorted(host["CapAdd"]) == ["KILL", "SETGID", "SETUID"]
    assert host["SecurityOpt"][0] == "no-new-privileges:true"
    assert host["SecurityOpt"][1].startswith("seccomp={")
    assert host["LogConfig"]["Type"] == "none"
    assert host["RestartPolicy"]["Name"] == "no"
    assert host["AutoRemove"] is False
    assert not host["Init"]
    assert not host["GroupAdd"]
    assert not host["OomKillDisable"]


@pytest.mark.docker
def test_the_inspected_container_has_hard_limits(shared_lab: ReadyLab) -> None:
    host = shared_lab.inspect()["HostConfig"]

    assert host["Memory"] == host["MemorySwap"] == 256 * MIB
    assert not host["MemorySwappiness"]  # a kernel with control groups of version 2 has none
    assert host["OomScoreAdj"] == 500
    assert host["NanoCpus"] == 500_000_000
    assert host["CpuShares"] == 256
    assert host["PidsLimit"] == 128
    assert host["ShmSize"] == 8 * MIB
    assert {limit["Name"]: (limit["Soft"], limit["Hard"]) for limit in host["Ulimits"]} == {
        "nproc": (96, 96),
        "nofile": (256, 256),
        "core": (0, 0),
        "fsize": (64 * MIB, 64 * MIB),
        "memlock": (65536, 65536),
        "msgqueue": (0, 0),
    }


@pytest.mark.docker
def test_the_inspected_container_sees_nothing_of_the_host(shared_lab: ReadyLab) -> None:
    inspected = shared_lab.inspect()

    assert inspected["Mounts"] == []
    assert not inspected["HostConfig"]["Binds"]
    assert not inspected["HostConfig"]["VolumesFrom"]
    assert not inspected["HostConfig"]["Devices"]
    assert not inspected["HostConfig"]["DeviceRequests"]
    assert not inspected["HostConfig"]["PortBindings"]


@pytest.mark.docker
def test_every_writable_place_has_a_size_and_an_owner(shared_lab: ReadyLab) -> None:
    tmpfs = shared_lab.inspect()["HostConfig"]["Tmpfs"]

    assert sorted(tmpfs) == ["/home/node/project", "/run/agent-lab", "/run/names", "/tmp"]
    assert (
        f"size={64 * MIB},nr_inodes=16384,exec,uid={shared_lab.uid},gid={shared_lab.uid},mode=0755"
        in (tmpfs["/home/node/project"])
    )
    assert f"size={32 * MIB},nr_inodes=8192,exec,mode=1777" in tmpfs["/tmp"]
    assert f"size={16 * MIB},nr_inodes=2048,noexec,mode=0700" in tmpfs["/run/agent-lab"]
    assert f"size={64 * 1024},nr_inodes=16,noexec,mode=0755" in tmpfs["/run/names"]
    assert all("nosuid,nodev,size=" in options for options in tmpfs.values())


@pytest.mark.docker
def test_labels_tell_whose_lab_it_is_and_how_it_was_made(shared_lab: ReadyLab) -> None:
    inspected = shared_lab.inspect()
    labels = inspected["Config"]["Labels"]

    assert labels["agent-lab.lab"] == shared_lab.status.lab_id
    assert labels["agent-lab.generation"] == "1"
    assert labels["agent-lab.installation"].startswith("test-")
    assert labels["agent-lab.spec"] == shared_lab.status.spec_hash
    assert (
        inspected["Name"]
        == f"/agent-lab-{labels['agent-lab.installation']}-{shared_lab.status.lab_id}"
    )
    assert inspected["Config"]["Hostname"] == "agent"
    assert inspected["Config"]["StopSignal"] == "SIGKILL"
    assert inspected["Config"]["User"] == "0:0"
    assert inspected["Config"]["Image"].startswith("sha256:")
    assert "NODE_OPTIONS=--max-old-space-size=160" in inspected["Config"]["Env"]


@pytest.mark.docker
def test_a_larger_lab_is_as_large_as_asked(make_lab: Callable[..., ReadyLab]) -> None:
    larger = make_lab(limits=Limits(memory_bytes=384 * MIB, cpus=1.0, workspace_bytes=96 * MIB))

    inspected = larger.inspect()

    assert inspected["HostConfig"]["Memory"] == 384 * MIB
    assert inspected["HostConfig"]["NanoCpus"] == 1_000_000_000
    assert "NODE_OPTIONS=--max-old-space-size=240" in inspected["Config"]["Env"]
    assert larger.sh("df -m --output=size . | tail -1").output.split() == [b"96"]


def test_files_that_could_take_all_the_memory_are_refused() -> None:
    greedy = LabSpec(lab_id="7", generation=1, uid=1, image="", limits=Limits(tmp_bytes=100 * MIB))

    with pytest.raises(EngineError, match="at most half of its memory"):
        container_config(greedy, "here")


def test_a_process_limit_without_room_for_the_supervisor_is_refused() -> None:
    greedy = LabSpec(lab_id="7", generation=1, uid=1, image="", limits=Limits(nproc=128))

    with pytest.raises(EngineError, match="room for its supervisor"):
        container_config(greedy, "here")


def test_the_specification_has_another_hash_when_a_limit_changes() -> None:
    roomy = LabSpec(lab_id="7", generation=3, uid=4711, image="sha256:abc", limits=Limits(cpus=1))

    first = container_config(SPEC, "here")["Labels"]["agent-lab.spec"]

    assert container_config(SPEC, "here")["Labels"]["agent-lab.spec"] == first
    assert container_config(roomy, "here")["Labels"]["agent-lab.spec"] != first


def test_the_runtime_is_named_only_where_it_is_chosen() -> None:
    gvisor = LabSpec(lab_id="7", generation=3, uid=4711, image="sha256:abc", runtime="runsc")

    assert container_config(gvisor, "here")["HostConfig"]["Runtime"] == "runsc"
    assert "Runtime" not in container_config(SPEC, "here")["HostConfig"]


def test_a_kernel_of_its_own_has_room_for_its_own_threads() -> None:
    under_gvisor = container_config(replace(SPEC, runtime="runsc"), "test")["HostConfig"]
    plain = container_config(SPEC, "test")["HostConfig"]

    assert under_gvisor["PidsLimit"] == 512
    assert plain["PidsLimit"] == SPEC.limits.pids


def test_the_seccomp_profile_denies_what_it_does_not_name() -> None:
    profile = json.loads(SECCOMP_FILE.read_text())
    named = {name for rule in profile["syscalls"] for name in rule["names"]}

    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert named.isdisjoint({"ptrace", "io_uring_setup", "mount", "unshare", "setns", "bpf"})
