"""A Docker engine of the tests' own, to be stopped, killed and started again.

It lives beside the machine's engine in a network namespace of its own: two engines in one would
fight over its rules.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from pathlib import Path

from tests.engine_fixtures import wait_until

ENVIRONMENT = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}


class PrivateEngine:
    """Needs root."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="agent-lab-engine-"))
        self._name = f"agent-lab-{uuid.uuid4().hex[:8]}"
        self.url = f"unix://{self._folder}/socket"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        """Answers when this returns. `--live-restore` lets containers outlive the engine."""
        for stale in ("pid", "exec/containerd/containerd.pid"):
            (self._folder / stale).unlink(missing_ok=True)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["unshare", "--net", "dockerd", *self._places(), *options],
                env=ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(self.answers)

    def _places(self) -> list[str]:
        return [
            f"--data-root={self._folder}/data",
            f"--exec-root={self._folder}/exec",
            f"--pidfile={self._folder}/pid",
            f"--host={self.url}",
            f"--containerd-namespace={self._name}",
            f"--containerd-plugins-namespace={self._name}-plugins",
            "--bridge=none",
            "--iptables=false",
            "--ip6tables=false",
        ]

    @property
    def containers(self) -> Path:
        """Where it keeps what it knows of each container."""
        return self._folder / "data" / "containers"

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def answers(self) -> bool:
        assert self.is_running, (self._folder / "log").read_text()[-2000:]
        return self.docker("version").returncode == 0

    def docker(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["docker", "--host", self.url, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def load(self, image: str) -> None:
        """Copies an image from the machine's own engine."""
        with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as saved:
            subprocess.run(
                ["docker", "--host", self.url, "load", "--quiet"],
                stdin=saved.stdout,
                stdout=subprocess.DEVNULL,
                check=True,
                timeout=120,
            )

    def stop(self) -> None:
        """As a machine does that is shut down."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(120)

    def take_down(self) -> None:
        """Leaves nothing, be it running or not."""
        if not self.is_running:
            self.start()
        for container in self.docker("ps", "--all", "--quiet").stdout.split():
            self.docker("rm", "--force", container)
        self.stop()
        for line in Path("/proc/mounts").read_text().splitlines():
            if str(self._folder) in line:  # a killed engine leaves its mounts behind
                subprocess.run(["umount", "--lazy", line.split()[1]], check=False, timeout=120)
        shutil.rmtree(self._folder)
