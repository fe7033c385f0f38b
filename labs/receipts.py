"""A run as plain data for machines: what `run_as --json` and exports print."""

from __future__ import annotations

from typing import Any

from labs.models import Run


def output_of(run: Run) -> bytes:
    """The stored bytes of both streams in order; what fell between head and tail is not there."""
    return b"".join(bytes(data) for data in run.chunks.values_list("data", flat=True))


def receipt_of(run: Run) -> dict[str, Any]:
    """Keys: id, state, reason, exit_code, output (text), bytes_total, truncated (bool),
    duration_s, lab_generation."""
    return {
        "id": str(run.id),
        "state": run.state,
        "reason": run.reason,
        "exit_code": run.exit_code,
        "output": output_of(run).decode(errors="replace"),
        "bytes_total": run.bytes_total,
        "truncated": run.truncated_bytes > 0,
        "duration_s": run.duration_s,
        "lab_generation": run.lab_generation,
    }
