"""What labs cost that only wait, how fast they wake, and how fast a whole class is mustered.

Every figure stands against a floor of bare containers of the same specification, in the same run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from labs import probe
from labs.engine.base import Exit, Output, RunSpec
from tests.bench.engine_bench import Bench, Compared, available_bytes, start_bare

CLASS = 30
AT_ONCE = 4
"""As the setting `LAB_STARTS_AT_ONCE`."""
WAKE_ROUNDS = 15
MUSTERS = 2
IDLE_LABS, BATCH = 50, 10
MEMORY_ROUNDS = 2
LOOKS = 21
LOOK_EVERY_S = 0.05


def measure_life(bench: Bench, ratios: dict[str, float]) -> Iterator[str]:
    """Writes the ratios, and gives a line for each."""
    for key, title, measure in (
        ("lab.wake_vs_create_start", "a lab woken (s)", compare_wakes),
        ("lab.muster30_vs_create_start", f"{CLASS} labs mustered (s)", compare_musters),
        ("lab.idle_memory_vs_sleep", "an idle lab (bytes)", compare_fifty_idle),
    ):
        compared = measure(bench)
        ratios[key] = compared.ratio
        yield f"{title}: {compared}"


def compare_wakes(bench: Bench) -> Compared:
    """From a paused lab to its supervisor's answer, against a bare create and start."""
    ours, floor = [], []
    with bench.lab() as (_, status):
        for _round in range(WAKE_ROUNDS):
            floor.append(_bare_start_s(bench))
            bench.engine.pause_lab(status.container_id)
            ours.append(_timed(lambda: _wake(bench, status.container_id)))
    return Compared(median(ours), median(floor))


def _wake(bench: Bench, container_id: str) -> None:
    bench.engine.wake_lab(container_id)
    bench.engine.link(container_id).list_runs()


def _bare_start_s(bench: Bench) -> float:
    made: list[str] = []
    took_s = _timed(lambda: made.append(start_bare(bench)))
    bench.engine.remove_lab(made[0])
    return took_s


def compare_musters(bench: Bench) -> Compared:
    """A class's labs started and proven, against as many bare starts at the same parallelism."""
    ours, floor = [], []
    for _round in range(MUSTERS):
        floor.append(_all_s(bench, lambda: start_bare(bench)))
        ours.append(_all_s(bench, lambda: _start_and_prove(bench)))
    return Compared(min(ours), min(floor))


def _all_s(bench: Bench, start: Callable[[], str]) -> float:
    """Seconds until a class's labs are up; they are removed after that."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        began_at = time.perf_counter()
        made = list(pool.map(lambda _number: start(), range(CLASS)))
        took_s = time.perf_counter() - began_at
        list(pool.map(bench.engine.remove_lab, made))
    return took_s


def _start_and_prove(bench: Bench) -> str:
    status = bench.engine.create_lab(bench.spec())
    link = bench.engine.link(status.container_id)
    link.start_run(RunSpec(run_id="probe", argv=probe.ARGV))
    written, exit_code = b"", None
    for piece in link.follow_run("probe"):
        written += piece.data if isinstance(piece, Output) else b""
        exit_code = piece.exit_code if isinstance(piece, Exit) else None
    assert not probe.name_problem(probe.read_report(written, exit_code=exit_code))
    return status.container_id


def compare_fifty_idle(bench: Bench) -> Compared:
    """Bytes of the machine's memory for each, batch by batch beside as many bare ones until fifty
    of both stand. Medians over the batches, since others use the machine, too."""
    ours, floor = [], []
    bench.engine.remove_lab(start_bare(bench))  # the first one of all costs the engine more
    for _round in range(MEMORY_ROUNDS):
        for _batch in range(IDLE_LABS // BATCH):
            floor.append(_memory_each(lambda: start_bare(bench)))
            ours.append(_memory_each(lambda: bench.engine.create_lab(bench.spec())))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            made = [status.container_id for status in bench.engine.list_labs()]
            list(pool.map(bench.engine.remove_lab, made))
    return Compared(median(ours), median(floor))


def _memory_each(start: Callable[[], object]) -> float:
    before = _steady_available_bytes()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda _number: start(), range(BATCH)))
    return (before - _steady_available_bytes()) / BATCH


def _steady_available_bytes() -> float:
    """Over a second: what starting took, or others take and give back at once, is not idle."""
    looks = []
    for _look in range(LOOKS):
        looks.append(available_bytes())
        time.sleep(LOOK_EVERY_S)
    return median(looks)


def _timed(deed: Callable[[], object]) -> float:
    began_at = time.perf_counter()
    deed()
    return time.perf_counter() - began_at


def main() -> None:
    bench = Bench("agent-lab/agent:latest")
    try:
        for line in measure_life(bench, {}):
            sys.stdout.write(line + "\n")
    finally:
        bench.close()


if __name__ == "__main__":
    main()
