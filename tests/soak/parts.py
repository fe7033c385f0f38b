"""The parts of a site that are killed in a soak, each with how it comes back."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from threading import Event

from labs.engine.base import EngineError
from tests.faults.brokers import Broker
from tests.faults.sites import Site, celery_command, end

KILL_EVERY_S = 3.0
DOWN_S = 0.5


class Parts:
    """A web process, workers and a broker, all of which die again and again."""

    def __init__(self, site: Site, broker: Broker) -> None:
        self.killed: Counter[str] = Counter()
        self.killed_containers: set[str] = set()
        self._site = site
        self._broker = broker
        self.start_web()
        self._workers = [self._start_worker() for _ in range(2)]

    def start_web(self) -> None:
        self._web = self._site.start_web(**self._broker.environment)

    def _start_worker(self) -> subprocess.Popen[bytes]:
        return self._site.start(*celery_command(self._site), **self._broker.environment)

    def kill_until(self, is_over: Event) -> None:
        ways: dict[str, Callable[[], bool]] = {
            "web": self._kill_web,
            "worker": self._kill_worker,
            "broker": self._kill_broker,
            "container": self._kill_container,
            "link": self._cut_link,
        }
        while not is_over.wait(KILL_EVERY_S):
            name = random.choice(list(ways))
            if ways[name]():
                self.killed[name] += 1

    def _kill_web(self) -> bool:
        end(self._web)
        time.sleep(DOWN_S)
        self.start_web()
        return True

    def _kill_worker(self) -> bool:
        number = random.randrange(len(self._workers))
        end(self._workers[number])
        self._workers[number] = self._start_worker()
        return True

    def _kill_broker(self) -> bool:
        self._broker.kill()
        time.sleep(DOWN_S)
        self._broker.start()
        return True

    def _kill_container(self) -> bool:
        container = self._any_container()
        return container is not None and self._docker("kill", container)

    def _cut_link(self) -> bool:
        container = self._any_container()
        return container is not None and self._docker(
            "exec", "--user", "0:0", container, "pkill", "-9", "nc"
        )

    def _any_container(self) -> str | None:
        try:
            labs = [status.container_id for status in self._site.engine.list_labs()]
        except EngineError:
            return None
        return random.choice(labs) if labs else None

    def _docker(self, word: str, *arguments: str) -> bool:
        if word == "kill":
            self.killed_containers.add(arguments[0])
        done = subprocess.run(
            ["docker", word, *arguments], capture_output=True, timeout=30, check=False
        )
        return done.returncode == 0
