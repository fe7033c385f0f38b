"""`make bench`: every benchmark as a ratio to a floor measured in the same run.

Prints medians and ratios; writes the ratios to `build/bench.json`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from tests.bench.board_bench import board_line, measure_boards, ratios_of_boards
from tests.bench.engine_bench import Bench, compare_cold_starts
from tests.bench.gradebook_bench import (
    gradebook_line,
    measure_gradebooks,
    ratios_of_gradebooks,
)
from tests.bench.life_bench import measure_life
from tests.bench.page_bench import compare_rates, lines_of, measure_in_process
from tests.bench.site_bench import (
    Student,
    compare_one_press,
    rate_of_docker_exec,
    rate_of_site,
    students,
    students_in_production,
)
from tests.bench.terminal_bench import terminal_lines
from tests.browser.served import serve_site

REPOSITORY = Path(__file__).parent.parent.parent
GROUPS = (1, 4, 16)


def main() -> None:
    image = _image()
    ratios: dict[str, float] = {}
    for line in chain(
        _site_lines(image, ratios),
        _page_lines(image, ratios),
        _engine_lines(image, ratios),
        terminal_lines(image, ratios),
    ):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    target = REPOSITORY / "build" / "bench.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(ratios, indent=2, sort_keys=True) + "\n")
    sys.stdout.write(f"{target.relative_to(REPOSITORY)}: {json.dumps(ratios, sort_keys=True)}\n")


def _site_lines(image: str, ratios: dict[str, float]) -> Iterator[str]:
    """As composed for a school, then the one process of `make run`."""
    for name, prefix, served in (
        ("composed", "composed", students_in_production),
        ("one process", "embedded", students),
    ):
        with served(image, max(GROUPS)) as everybody:
            for line in _run_lines(prefix, everybody, ratios):
                yield f"{name}, {line}"
    # One person waits at `make run`; many press at once at a school, which composes the site.
    for name in ("first_byte", "receipt"):
        ratios[f"run.{name}_vs_docker_exec"] = ratios[f"embedded.{name}_vs_docker_exec"]
    for count in GROUPS:
        ratios[f"run.rate{count}_vs_docker_exec"] = ratios[f"composed.rate{count}_vs_docker_exec"]


def _run_lines(
    prefix: str, everybody: Sequence[Student], ratios: dict[str, float]
) -> Iterator[str]:
    press = compare_one_press(everybody[0])
    ratios[f"{prefix}.first_byte_vs_docker_exec"] = press["first_output"] / press["docker_exec"]
    ratios[f"{prefix}.receipt_vs_docker_exec"] = press["receipt"] / press["docker_exec"]
    yield "one press (ms): " + ", ".join(f"{n} {s * 1000:.1f}" for n, s in press.items())
    for count in GROUPS:
        ours, theirs = rate_of_site(everybody[:count]), rate_of_docker_exec(everybody[:count])
        ratios[f"{prefix}.rate{count}_vs_docker_exec"] = ours.runs_a_second / theirs.runs_a_second
        yield (
            f"{count} at once: ours {ours.runs_a_second:.1f} runs/s at "
            f"{ours.cpu_s_a_run * 1000:.1f} ms of CPU, the last of a burst at "
            f"{ours.slowest_of_burst:.2f} of its fair share; docker exec "
            f"{theirs.runs_a_second:.1f} runs/s at {theirs.cpu_s_a_run * 1000:.1f} ms"
        )


def _page_lines(image: str, ratios: dict[str, float]) -> Iterator[str]:
    found = measure_in_process()
    with serve_site(image) as site:
        rates = compare_rates(site)
    ratios["page.lesson_vs_empty_view"] = found["page"] / found["empty"]
    ratios["page.lesson_growth_1000_runs"] = found["page_grown"] / found["page"]
    ratios["page.lesson_rate_vs_empty_view"] = rates["page"] / rates["empty"]
    yield from lines_of(found, rates)
    gradebooks = measure_gradebooks()
    ratios.update(ratios_of_gradebooks(gradebooks))
    yield gradebook_line(gradebooks)
    boards = measure_boards()
    ratios.update(ratios_of_boards(boards))
    yield board_line(boards)


def _engine_lines(image: str, ratios: dict[str, float]) -> Iterator[str]:
    bench = Bench(image)
    try:
        cold = compare_cold_starts(bench)
        ratios["lab.cold_start_vs_create_start"] = cold.ratio
        yield f"cold start to first output (s): {cold}"
        yield from measure_life(bench, ratios)
    finally:
        bench.close()


def _image() -> str:
    printed = subprocess.check_output(
        [REPOSITORY / "bin" / "build-image", "--print-tag"], text=True
    )
    return printed.strip()


if __name__ == "__main__":
    main()
