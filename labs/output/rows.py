"""A finished line of output and its two looks: safe HTML, and plain text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape

from labs.output.line import Run

NOTE = "note"
_CLASSES = {
    "stdout": "output-line",
    "stderr": "output-line output-stderr",
    NOTE: "output-line output-note",
}
STREAMS = ("stdout", "stderr")


def _in_english(unit: str, count: int) -> str:
    """What is not here: so many units, each a `byte`, a `line` or the rest of one (`character`)."""
    plural = "" if count == 1 else "s"
    if unit == "character":
        return f" … {count:,} more character{plural}"
    return f"… {count:,} {unit}{plural} left out …"


@dataclass(frozen=True)
class Words:
    """Our own words among the output, in one language."""

    announcements: Mapping[str, str] = field(
        default_factory=lambda: {"stdout": "Output: ", "stderr": "Error output: "}
    )
    """Said to those who can't see the class, where a line is of another stream than before."""
    left_out: Callable[[str, int], str] = _in_english


ENGLISH = Words()


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `kind` is its stream, or `note` for our own words."""

    runs: tuple[Run, ...]
    kind: str
    announcement: str = ""
    fold: str = ""
    """Says how much of it was folded away."""


def note_row(words: str, announcement: str = "") -> Row:
    """Our own line about what is not here."""
    return Row((("", words),), NOTE, announcement)


def row_text(row: Row) -> str:
    return "".join(text for _, text in row.runs) + row.fold


def row_html(row: Row) -> str:
    """One element with its line end, to stand in a `<pre>`: text, escaped, and class names."""
    parts = [f'<span class="{_CLASSES[row.kind]}">']
    if row.announcement:
        parts.append(f'<span class="visually-hidden">{escape(row.announcement)}</span>')
    parts += [_run_html(classes, text) for classes, text in row.runs]
    if row.fold:
        parts.append(f'<span class="output-fold">{escape(row.fold)}</span>')
    parts.append("\n</span>")
    return "".join(parts)


def _run_html(classes: str, text: str) -> str:
    safe = escape(text, quote=False)
    return f'<span class="{classes}">{safe}</span>' if classes else safe
