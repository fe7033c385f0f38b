"""A teacher's gradebook against the plain query and string join that it can't do without."""

from __future__ import annotations

import sys
from typing import Any

from tests.bench.modules import ask_module_of_its_own


def measure_gradebooks() -> dict[str, Any]:
    """What `tests.bench.gradebook_in_process` says."""
    return ask_module_of_its_own("tests.bench.gradebook_in_process")


def ratios_of_gradebooks(found: dict[str, Any]) -> dict[str, float]:
    """`gradebook_vs_raw`: the page of 120 × 40 to its floor; `large`: 1,000 × 50 to that page."""
    return {
        "page.gradebook_vs_raw": found["page"] / found["floor"],
        "page.gradebook_large_vs_small": found["large"] / found["page"],
    }


def gradebook_line(found: dict[str, Any]) -> str:
    few, many = found["queries"]
    return (
        f"gradebook of 120 × 40 (ms): {found['page'] * 1000:.1f}, its query and join alone "
        f"{found['floor'] * 1000:.1f}; first page of 1,000 × 50 {found['large'] * 1000:.1f}; "
        f"{few} and {many} queries"
    )


if __name__ == "__main__":
    measured = measure_gradebooks()
    sys.stdout.write(f"{gradebook_line(measured)}\n{ratios_of_gradebooks(measured)}\n")
