"""A class board against the plain query and string join that it can't do without."""

from __future__ import annotations

import sys
from typing import Any

from tests.bench.modules import ask_module_of_its_own


def measure_boards() -> dict[str, Any]:
    """What `tests.bench.board_in_process` says."""
    return ask_module_of_its_own("tests.bench.board_in_process")


def ratios_of_boards(found: dict[str, Any]) -> dict[str, float]:
    """The page of 200 × 30 to its floor: `board_vs_raw` where few have done anything since the last
    one, `board_changed_vs_raw` where everybody has; `board_update_vs_raw`: what a page that is open
    asks for while nothing changes."""
    return {
        "page.board_vs_raw": found["page"] / found["floor"],
        "page.board_changed_vs_raw": found["changed"] / found["floor"],
        "page.board_update_vs_raw": found["update"] / found["floor"],
    }


def board_line(found: dict[str, Any]) -> str:
    few, many = found["queries"]
    return (
        f"class board of 200 × 30 (ms): {found['page'] * 1000:.1f}, its query and join alone "
        f"{found['floor'] * 1000:.1f}; after everybody has done something "
        f"{found['changed'] * 1000:.1f}; an update without news {found['update'] * 1000:.1f}; "
        f"{few} queries for 20 students and {many} for 200"
    )


if __name__ == "__main__":
    measured = measure_boards()
    sys.stdout.write(f"{board_line(measured)}\n{ratios_of_boards(measured)}\n")
