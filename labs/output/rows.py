"""A finished line of output and its two looks: safe HTML, and plain text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from labs.output.line import Run

NOTE = "note"
_CLASSES = {
    "stdout": "output-line",
    "stderr": "output-line output-stderr",
    NOTE: "output-line output-note",
}
ANNOUNCEMENTS = {"stdout": "Output: ", "stderr": "Error output: "}
"""Said to those who can't see the class, where a line is of another stream than the one before."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `kind` is its stream, or `note` for our own words."""

    runs: tuple[Run, ...]
    kind: str
    announcement: str = ""
    hidden: int = 0
    """Characters that were folded away."""


def note_row(count: int, unit: str, announcement: str = "") -> Row:
    """Our own line about what is not here."""
    return Row((("", f"… {_counted(count, unit)} left out …"),), NOTE, announcement)


def row_text(row: Row) -> str:
    return "".join(text for _, text in row.runs) + _fold(row)


def row_html(row: Row) -> str:
    """One element with its line end, to stand in a `<pre>`: text, escaped, and class names."""
    parts = [f'<span class="{_CLASSES[row.kind]}">']
    if row.announcement:
        parts.append(f'<span class="visually-hidden">{row.announcement}</span>')
    parts += [_run_html(classes, text) for classes, text in row.runs]
    if row.hidden:
        parts.append(f'<span class="output-fold">{_fold(row)}</span>')
    parts.append("\n</span>")
    return "".join(parts)


def _run_html(classes: str, text: str) -> str:
    safe = escape(text, quote=False)
    return f'<span class="{classes}">{safe}</span>' if classes else safe


def _fold(row: Row) -> str:
    return f" … {_counted(row.hidden, 'more character')}" if row.hidden else ""


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}" if count == 1 else f"{count:,} {unit}s"
