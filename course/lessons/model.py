"""A lesson as plain frozen values: what the parser makes and everything else reads. No Django."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property


@dataclass(frozen=True)
class Gap:
    """A blank cell that the reader fills in, and the key that its answers are marked by."""

    id: str
    label: str
    """For screen readers: what the cell is about (`Example: Checkpoint`)."""
    accept: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset({"case", "spaces", "punctuation"})
    near: int = 2
    """So many wrong letters are "nearly right"; never more than one in four letters."""
    pattern: str = ""
    """A pattern that the whole answer may match, in the language of `patterns`."""
    number: Decimal | None = None
    tolerance: Decimal = Decimal(0)
    choices: tuple[str, ...] = ()
    """What the reader chooses from; `accept` says which are right."""
    is_open: bool = False
    """A teacher marks what matches no key."""
    points: int = 1
    hint: str = ""
    sample: str = ""
    """A good answer, shown in the teacher guide."""
    track: str = ""
    line: int = 0

    @property
    def kind(self) -> str:
        """`choice`, `number`, `open` or `text`: which control the page shows."""
        if self.choices:
            return "choice"
        if self.is_open:
            return "open"
        return "text" if self.number is None else "number"


@dataclass(frozen=True)
class Span:
    """A piece of an example's line. One that varies stands for any text on the same line."""

    text: str
    varies: bool = False


@dataclass(frozen=True)
class Example:
    """One possible output of a block, line by line."""

    lines: tuple[tuple[Span, ...], ...]
    html: str
    """The lines as finished HTML for inside `<pre>`, with `<mark class="varies">`."""

    @property
    def text(self) -> str:
        return "\n".join("".join(span.text for span in line) for line in self.lines)


@dataclass(frozen=True)
class Check:
    """Something that must hold after a run, besides the exit code."""

    kind: str
    """`prints`, `never prints`, `file exists`, `file lines` or `file says`."""
    sentence: str
    """As the author wrote it, to show beside the tick."""
    path: str = ""
    """Relative to the workspace; empty for the two that look at the output."""
    text: str = ""
    count: int = 0


@dataclass(frozen=True)
class Block:
    """A command with a Run button. `command` is verbatim, as the author wrote it."""

    id: str
    title: str
    command: str
    exit_code: int = 0
    time_limit_s: int = 60
    track: str = ""
    checks: tuple[Check, ...] = ()
    example: Example | None = None
    line: int = 0


@dataclass(frozen=True)
class Html:
    """Finished, sanitised HTML. Pieces between gaps need not be balanced on their own."""

    html: str
    track: str = ""


Part = Html | Gap | Block


@dataclass(frozen=True)
class Section:
    """A second-level heading and what stands below it. The heading itself is not in `parts`."""

    id: str
    title: str
    """Plain text; empty for what stands before the first heading."""
    parts: tuple[Part, ...]

    def parts_for(self, track: str) -> Iterator[Part]:
        """What a reader of `track` sees: their track's parts and those of no track."""
        return (part for part in self.parts if part.track in ("", track))


@dataclass(frozen=True)
class LabInfo:
    """`About this lab and its source`."""

    title: str
    source: str = ""
    image: str = "agent"


@dataclass(frozen=True)
class Track:
    """One of the languages that a lesson can be read in."""

    id: str
    title: str


@dataclass(frozen=True)
class Lesson:
    slug: str
    title: str
    outcome: str
    """`I can …`, without the words before it."""
    minutes: int
    is_free: bool
    lab: LabInfo
    sections: tuple[Section, ...]
    version: str
    """Hash of every file the lesson is made of."""
    guide_html: str = field(default="", repr=False)
    """For teachers only."""
    tracks: tuple[Track, ...] = ()
    """Empty where the lesson has only one; otherwise the first is where a reader begins."""

    def parts(self) -> Iterator[Part]:
        for section in self.sections:
            yield from section.parts

    @cached_property
    def gaps(self) -> Mapping[str, Gap]:
        return {part.id: part for part in self.parts() if isinstance(part, Gap)}

    @cached_property
    def blocks(self) -> Mapping[str, Block]:
        return {part.id: part for part in self.parts() if isinstance(part, Block)}

    def for_track(self, track: str) -> Lesson:
        """The lesson as a reader of `track` has it: what counts for them, and nothing else."""
        return self._by_track.get(track, self)

    @cached_property
    def _by_track(self) -> Mapping[str, Lesson]:
        return {track.id: self._only(track.id) for track in self.tracks}

    def _only(self, track: str) -> Lesson:
        kept = (replace(s, parts=tuple(s.parts_for(track))) for s in self.sections)
        return replace(self, sections=tuple(section for section in kept if section.parts))

    def pick_track(self, wanted: str) -> str:
        """`wanted` where the lesson has it, else its first track; empty where it has none."""
        known = [track.id for track in self.tracks]
        return wanted if wanted in known else next(iter(known), "")


@dataclass(frozen=True)
class LessonError:
    """One mistake of the author's, with what to write instead."""

    path: str
    line: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" + (f" {self.hint}" if self.hint else "")


class LessonBroken(Exception):
    """All mistakes of one lesson, not only the first."""

    def __init__(self, errors: list[LessonError]) -> None:
        super().__init__("\n".join(str(error) for error in errors))
        self.errors = errors
