"""How a lab's supervisor comes up: names for the student, the socket, the loop."""

from __future__ import annotations

import os
from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_STREAM, socket

import direct
from answers import Answers
from connection import Connection
from lab import Lab
from loop import Loop

OWN = "/run/agent-lab"
SOCKET = OWN + "/socket"
DIRECT = OWN + "/direct"
NAMES = "/run/names"
USERS = """root:x:0:0:root:/root:/bin/sh
node:x:{uid}:{uid}:student:/home/node:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
GROUPS = """root:x:0:
node:x:{uid}:
nogroup:x:65534:
"""


def serve() -> None:
    """Never returns. Orphans become children of process 1, so that is what it has to be."""
    if os.getpid() != 1:
        raise SystemExit("The supervisor has to be process 1 of a lab.")
    os.umask(0o077)
    uid = int(os.environ["AGENT_LAB_UID"])
    write_names("passwd", USERS.format(uid=uid))
    write_names("group", GROUPS.format(uid=uid))
    loop = Loop()
    lab = Lab(loop, uid, OWN)
    answers = Answers(lab)
    listen(loop, answers)
    direct.listen(loop, answers, DIRECT)
    loop.run_forever()


def write_names(name: str, text: str) -> None:
    """The student is called node, whatever the uid: /etc/passwd and /etc/group lead here."""
    with open(f"{NAMES}/{name}", "w") as file:
        file.write(text)
        os.fchmod(file.fileno(), 0o644)


def listen(loop: Loop, answers: Answers) -> None:
    """Takes every connection: only root reaches the directory of the socket."""
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
    listener.bind(SOCKET)
    listener.listen(16)

    def accept(events: int) -> None:
        fd, _ = listener._accept()  # type: ignore[attr-defined]  # `socket` is a megabyte
        Connection(loop, fd, answers.answer)

    loop.watch(listener.fileno(), accept)
