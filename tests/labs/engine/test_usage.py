"""What a lab says it uses, as its supervisor's answer is read."""

from __future__ import annotations

from labs.engine.frames import Frame
from labs.engine.usage import read_usage


def test_what_a_lab_cannot_tell_is_none() -> None:
    said = (("memory_bytes", "None"), ("pids", "7"), ("disk_bytes", "0"))

    usage = read_usage(Frame(1, "usage", said))

    assert (usage.memory_bytes, usage.pids, usage.disk_bytes, usage.cpu_us) == (None, 7, 0, None)
