"""A lesson as plain frozen values: what the parser makes and everything else reads. No Django."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Gap:
    """A blank cell that the reader fills in."""

    id: str
    label: str
    """For screen readers: what the cell is about (`Example of Checkpoint`)."""
    accept: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset({"case", "spaces", "punctuation"})
    is_open: bool = False
    """A teacher marks it."""
    points: int = 1
    hint: str = ""
    sample: str = ""
    line: int = 0


@dataclass(frozen=True)
class Block:
    """A command with a Run button. `command` is verbatim, as the author wrote it."""

    id: str
    title: str
    command: str
    exit_code: int = 0
    time_limit_s: int = 60
    track: str = ""
    line: int = 0


@dataclass(frozen=True)
class Html:
    """Finished, sanitised HTML. Pieces between gaps need not be balanced on their own."""

    html: str


Part = Html | Gap | Block


@dataclass(frozen=True)
class Section:
    id: str
    title: str
    """Plain text; empty for what stands before the first heading."""
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class LabInfo:
    """`About this lab and its source`."""

    title: str
    source: str = ""
    image: str = "agent"


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

    def parts(self) -> Iterator[Part]:
        for section in self.sections:
            yield from section.parts

    @property
    def gaps(self) -> Mapping[str, Gap]:
        return {part.id: part for part in self.parts() if isinstance(part, Gap)}

    @property
    def blocks(self) -> Mapping[str, Block]:
        return {part.id: part for part in self.parts() if isinstance(part, Block)}


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
