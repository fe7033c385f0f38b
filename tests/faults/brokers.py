"""A Redis of the tests' own, to be killed and brought back."""

from __future__ import annotations

import subprocess

from tests.faults.sites import await_port, free_port


class Broker:
    """Keeps nothing on disk: what was in it is lost when it is killed."""

    def __init__(self) -> None:
        self.port = free_port()
        self.start()

    @property
    def environment(self) -> dict[str, str]:
        """Makes a process use this broker, whatever the tests themselves use."""
        url = f"redis://127.0.0.1:{self.port}"
        return {"CELERY_BROKER_URL": f"{url}/0", "CHANNEL_REDIS_URL": f"{url}/1"}

    def start(self) -> None:
        bind = ["--bind", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(
            ["redis-server", *bind, "--save", "", "--appendonly", "no"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        await_port(self.port)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)
