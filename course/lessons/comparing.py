"""What a run left, beside what its block expects → ticks, and where the output differs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from course.lessons.model import Block, Check, Example, Span

MAX_LINES = 200
"""More are not compared: finding the difference costs up to the third power of the lines."""
SAME_SENTENCE = "Same as the example."
SAME_BUT_MARKED_SENTENCE = "Same as the example, apart from the marked parts."
FileReader = Callable[[str], str | None]
"""Gives the text of a file by its path in the workspace, or None where there is none."""
VISIBLE = str.maketrans({" ": "·", "\t": "→", "\r": "␍"})


@dataclass(frozen=True)
class ComparedLine:
    """A line of the output, or one of the example that the output lacks."""

    kind: str
    """`same`, `missing` (in the example only) or `extra` (in the output only)."""
    text: str


@dataclass(frozen=True)
class Comparison:
    lines: tuple[ComparedLine, ...]
    is_cut: bool = False
    """Whether there was more than MAX_LINES to compare."""
    has_marks: bool = False
    """Whether the example has parts that may differ."""

    @property
    def is_same(self) -> bool:
        return all(line.kind == "same" for line in self.lines)

    @property
    def is_near(self) -> bool:
        """Something is as in the example: the difference is worth reading."""
        return any(line.kind == "same" for line in self.lines)

    @property
    def sentence(self) -> str:
        """What the page says about it."""
        if self.is_same:
            return SAME_BUT_MARKED_SENTENCE if self.has_marks else SAME_SENTENCE
        missing = sum(line.kind == "missing" for line in self.lines)
        extra = sum(line.kind == "extra" for line in self.lines)
        return (
            f"Differs from the example: {_lines(missing)} of it missing, {_lines(extra)} not in it."
        )


@dataclass(frozen=True)
class Tick:
    """One thing that a block expects, and whether it held."""

    sentence: str
    holds: bool | None
    """None where nobody knows, since the files could not be read."""


def compare_output(example: Example, output: str) -> Comparison:
    """The output line by line against the example. A newline at the end makes no difference."""
    wanted = example.lines[:MAX_LINES]
    found = output.removesuffix("\n").split("\n")
    texts = [_text(line) for line in wanted]
    # A line that fits the example's goes by the example's words, so that they count as equal.
    fitting = [_fitting_text(line, at, wanted) for at, line in enumerate(found[:MAX_LINES])]
    matcher = SequenceMatcher(None, texts, fitting, autojunk=False)
    lines = tuple(_compared(matcher, texts, found))
    return Comparison(
        lines,
        is_cut=max(len(example.lines), len(found)) > MAX_LINES,
        has_marks=any(span.varies for line in wanted for span in line),
    )


def fits_line(spans: Sequence[Span], line: str) -> bool:
    """Whether the line is the example's, with any text where a span varies."""
    fixed = [""]
    for span in spans:
        if span.varies:
            fixed.append("")
        else:
            fixed[-1] += span.text
    first, *middle = fixed
    if not middle:
        return line == first
    *middle, last = middle
    at = len(first)
    if len(line) < at + len(last) or not (line.startswith(first) and line.endswith(last)):
        return False
    end = len(line) - len(last)
    for text in middle:
        # Taking each at its earliest place leaves the most room for the others.
        found = line.find(text, at, end)
        if found < 0:
            return False
        at = found + len(text)
    return True


def show_spaces(text: str) -> str:
    """The text with signs for what can't be seen: `·` for a space, `→` for a tab."""
    return text.translate(VISIBLE)


def check_run(
    block: Block, exit_code: int | None, output: str, read_file: FileReader | None
) -> tuple[Tick, ...]:
    """A tick for the exit code and for each check of the block, in the author's order.

    Without `read_file` nobody knows what became of the files.
    """
    ended = Tick(f"ends with exit code {block.exit_code}", exit_code == block.exit_code)
    checks = (Tick(check.sentence, _holds(check, output, read_file)) for check in block.checks)
    return (ended, *checks)


def _holds(check: Check, output: str, read_file: FileReader | None) -> bool | None:
    if check.kind == "prints":
        return any(check.text in line for line in output.split("\n"))
    if check.kind == "never prints":
        return check.text not in output
    if read_file is None:
        return None
    content = read_file(check.path)
    if content is None:
        return False
    if check.kind == "file lines":
        return _count_lines(content) == check.count
    return check.text in content


def _count_lines(content: str) -> int:
    """As `wc -l` counts, and one for a last line without its end."""
    return content.count("\n") + (not content.endswith("\n") and content != "")


def _text(spans: Sequence[Span]) -> str:
    return "".join(span.text for span in spans)


def _fitting_text(line: str, at: int, wanted: Sequence[Sequence[Span]]) -> str:
    nearest_first = sorted(range(len(wanted)), key=lambda other: abs(other - at))
    fits = (_text(wanted[other]) for other in nearest_first if fits_line(wanted[other], line))
    return next(fits, line)


def _compared(
    matcher: SequenceMatcher[str], texts: Sequence[str], found: Sequence[str]
) -> Iterator[ComparedLine]:
    for kind, start, end, found_start, found_end in matcher.get_opcodes():
        if kind == "equal":
            yield from (ComparedLine("same", line) for line in found[found_start:found_end])
        else:
            yield from (ComparedLine("missing", line) for line in texts[start:end])
            yield from (ComparedLine("extra", line) for line in found[found_start:found_end])


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
