"""What a student can't do: to the supervisor, to the image, to the world."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine_fixtures import ReadyLab

pytestmark = pytest.mark.docker


@pytest.mark.parametrize(
    "attempt",
    [
        "kill -9 1",
        "kill -STOP 1",
        "cat /proc/1/environ",
        "cat /proc/1/mem",
        "ls /proc/1/fd",
        "echo 1000 > /proc/1/oom_score_adj",
        "echo noise > /proc/1/fd/1",
        "ls /run/agent-lab",
        "nc -N -U /run/agent-lab/socket < /dev/null",
        "cat /run/agent-lab/spool-1",
        "echo root::0:0::/:/bin/sh > /run/names/passwd",
        "rm /run/names/passwd",
        "echo evil >> /opt/agent-lab/supervisor.py",
        "touch /usr/local/bin/node",
        "touch /home/node/.bashrc",
        "mount -t tmpfs none /tmp",
        "unshare --user true",
        "mknod /tmp/disk b 8 0",
        "su -c true",
        "python3 -c 'import os; os.setuid(0)'",
        "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) == -1)'",
    ],
)
def test_a_student_is_refused(shared_lab: ReadyLab, attempt: str) -> None:
    shared_lab.run("echo", "a spool")

    ran = shared_lab.sh(attempt)

    assert ran.exit.reason == "exited"
    assert ran.exit.exit_code != 0
    assert shared_lab.run("echo", "alive").output == b"alive\n"


def test_a_student_is_another_user_than_the_supervisor_and_in_no_other_group(
    shared_lab: ReadyLab,
) -> None:
    ids = shared_lab.sh(
        "grep -E '^(Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs):' /proc/self/status"
    ).output

    fields = {
        name.decode(): values.split()
        for name, _, values in (line.partition(b":") for line in ids.splitlines())
    }
    mine = str(shared_lab.uid).encode()
    assert fields["Uid"] == fields["Gid"] == [mine] * 4
    assert fields["Groups"] == []
    assert fields["CapEff"] == [b"0000000000000000"]
    assert fields["NoNewPrivs"] == [b"1"]


def test_a_student_inherits_nothing_open_but_the_three_streams(shared_lab: ReadyLab) -> None:
    ran = shared_lab.run(
        "python3", "-c", "import os; print(sorted(os.listdir('/proc/self/fd'))[:3])"
    )

    assert ran.output == b"['0', '1', '2']\n"
    assert shared_lab.sh("ls /proc/$$/fd").output.split() == [b"0", b"1", b"2"]


def test_there_is_no_network_but_the_labs_own(shared_lab: ReadyLab) -> None:
    devices = shared_lab.sh("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").output.split()
    reach = shared_lab.run(
        "node",
        "-e",
        "require('net').connect(80,'169.254.169.254').on('error',e=>{console.log(e.code)})",
    )

    assert set(devices) <= {b"lo", b"tunl0", b"sit0", b"ip6tnl0", b"gre0", b"gretap0", b"erspan0"}
    assert reach.output == b"ENETUNREACH\n"
    assert b"127.0.0.1" in shared_lab.run("cat", "/etc/resolv.conf").output


def test_commands_are_killed_for_memory_before_the_supervisor(shared_lab: ReadyLab) -> None:
    assert shared_lab.run("cat", "/proc/self/oom_score_adj").output == b"1000\n"
    assert shared_lab.run("cat", "/proc/1/oom_score_adj").output == b"500\n"


def test_two_labs_do_not_count_each_others_processes(make_lab: Callable[..., ReadyLab]) -> None:
    crowded, neighbour = make_lab(), make_lab()
    hog = crowded.start("sh", "-c", "while sleep 60 & do :; done 2>/dev/null; sleep 60")
    next(crowded.link.follow_run(hog))

    assert neighbour.sh("sleep 0 & wait; echo fine").output == b"fine\n"

    crowded.link.stop_run(hog)
    crowded.follow(hog)


def test_the_tools_of_the_lessons_work_under_the_profile(shared_lab: ReadyLab) -> None:
    tools = (
        "node -e 'console.log(1)' && python3 -c 'print(2)' && git init -q ."
        " && tar --version >/dev/null"
        " && python3 -c 'import pty; pty.spawn([\"echo\", \"3\"])' && bash -c 'echo 4 | cat'"
    )

    ran = shared_lab.sh(tools)

    assert ran.output.split() == [b"1", b"2", b"3", b"4"]
    assert ran.exit.exit_code == 0


FAMILIES = """
import socket
for family in range(46):
    try:
        socket.socket(family, socket.SOCK_DGRAM).close()
        print(family)
    except OSError:
        pass
"""


def test_a_student_opens_no_sockets_but_those_that_stay_in_the_lab(shared_lab: ReadyLab) -> None:
    """Local ones, the network that isn't there, and the kernel's own about that network: neither
    the host's by VSOCK nor the kernel's ciphers nor raw packets."""
    assert shared_lab.run("python3", "-c", FAMILIES).output.split() == [b"1", b"2", b"10", b"16"]
