"""What stands in one lesson file while it is read: the directives that only a lesson knows.

Dynamic parts leave a numbered marker in the HTML; `parts_of` puts the parts in their place.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from course.lessons.blocks import CommandCheck, read_block, read_example
from course.lessons.directives import Directive
from course.lessons.keys import read_keys
from course.lessons.model import Block, Example, Gap, Html, Part
from course.lessons.problems import Ids, Problems, suggest
from course.lessons.render import Handler, Renderer
from course.lessons.sanitise import clean_html

MARKER = re.compile(r'<lesson-part n="(\d+)"></lesson-part>')

LOCAL_LINK = re.compile(r'href="#([^"]*)"')


@dataclass(frozen=True)
class Placed:
    """A gap where it stands in the text; its key may come later in the file."""

    id: str
    label: str
    track: str
    line: int


@dataclass(frozen=True)
class TrackSwitch:
    """From here on the parts belong to this track; empty for all readers."""

    track: str


Marked = Placed | Block | TrackSwitch
ELEMENT_PREFIXES: dict[type[Marked] | None, str] = {Placed: "gap-", Block: "block-"}
"""What the page puts before an id to name its element; a section's element has the bare id."""


class Draft:
    """Collects the dynamic parts of a lesson, and checks that they fit together."""

    def __init__(
        self, problems: Problems, check_command: CommandCheck, tracks: Sequence[str]
    ) -> None:
        self.ids = Ids(problems)
        self._problems = problems
        self._check_command = check_command
        self._tracks = tracks
        self._track = ""
        self._marked: list[Marked] = []
        self._keys: dict[str, Gap] = {}
        self._examples: dict[str, tuple[Example, int]] = {}

    def directives(self) -> Mapping[str, Handler]:
        """What only a lesson knows, for its renderer."""
        return {
            "block": self._block,
            "gaps": self._gaps,
            "output": self._output,
            "track": self._in_track,
        }

    def role(self, token: Token, line: int) -> str:
        """The marker of a gap."""
        if token.meta["name"] != "gap":
            said = f"There is no role {{{token.meta['name']}}}."
            self._problems.add(line, said, "A gap is written {gap}`its-id`.")
            return ""
        id_ = token.content.strip()
        self.ids.claim(id_, line)
        return self._mark(Placed(id_, str(token.meta.get("label", "")), self._track, line))

    def parts_of(self, raw: str) -> Iterator[Part]:
        """The raw HTML of a section, cleaned and cut, with its gaps and blocks in between."""
        track = ""
        cleaned = LOCAL_LINK.sub(self._link_to, clean_html(raw))
        for at, piece in enumerate(MARKER.split(cleaned)):
            marked = self._marked[int(piece)] if at % 2 else None
            if isinstance(marked, TrackSwitch):
                track = marked.track
            elif isinstance(marked, Placed):
                yield from self._gap(marked)
            elif isinstance(marked, Block):
                yield self._with_example(marked)
            elif piece.strip():
                yield Html(piece, track)

    def _link_to(self, link: re.Match[str]) -> str:
        kinds = {each.id: type(each) for each in self._marked if not isinstance(each, TrackSwitch)}
        prefix = ELEMENT_PREFIXES.get(kinds.get(link[1]), "")
        return f'href="#{prefix}{link[1]}"'

    def check_fit(self) -> None:
        """Notes every gap, key and example that has no counterpart. Call it after rendering."""
        placed = {each.id: each for each in self._marked if isinstance(each, Placed)}
        for id_, key in self._keys.items():
            if id_ not in placed:
                said = f"There is a key “{id_}” but no gap."
                self._problems.add(key.line, said, f"Write {{gap}}`{id_}` in a cell.")
        for gap in placed.values():
            self._check_gap(gap)
        blocks = [each.id for each in self._marked if isinstance(each, Block)]
        for id_, (_, line) in self._examples.items():
            if id_ not in blocks:
                said = f"There is no block “{id_}” that this could be the output of."
                self._problems.add(line, said, suggest(id_, blocks))

    def _check_gap(self, gap: Placed) -> None:
        key = self._keys.get(gap.id)
        if key is None:
            said = f"The gap “{gap.id}” has no key."
            hint = f"Write `{gap.id}: the answer` inside a :::{{gaps}} below the table."
            self._problems.add(gap.line, said, hint)
        elif not (gap.label or key.label):
            said = f"The gap “{gap.id}” stands in no table, so it has no label."
            self._problems.add(gap.line, said, "Write label: with its key, for screen readers.")

    def _gap(self, placed: Placed) -> Iterator[Gap]:
        key = self._keys.get(placed.id)
        if key is not None:
            label = key.label or placed.label
            yield dataclasses.replace(key, label=label, track=placed.track, line=placed.line)

    def _with_example(self, block: Block) -> Block:
        example, _ = self._examples.get(block.id, (None, 0))
        return dataclasses.replace(block, example=example)

    def _mark(self, marked: Marked) -> str:
        self._marked.append(marked)
        return f'<lesson-part n="{len(self._marked) - 1}"></lesson-part>'

    # Directives ----------------------------------------------------------------------------------

    def _block(self, renderer: Renderer, directive: Directive) -> str:
        block = read_block(directive, self._check_command, self._problems)
        if block.id:
            self.ids.claim(block.id, directive.line)
        if set(renderer.open_directives) - {"block", "track"} or directive.level:
            said = "A block can't stand inside something else."
            self._problems.add(directive.line, said, "Only a {track} may hold it.")
        self._check_track(block.track, directive.line)
        if block.track and self._track and block.track != self._track:
            said = f"This block is of track “{block.track}” inside track “{self._track}”."
            self._problems.add(directive.line, said, "Leave :track: out.")
        return self._mark(dataclasses.replace(block, track=block.track or self._track))

    def _gaps(self, _renderer: Renderer, directive: Directive) -> str:
        for id_, key in read_keys(directive, self._problems).items():
            if id_ in self._keys:
                said = f"The gap “{id_}” has a key on line {self._keys[id_].line} already."
                self._problems.add(key.line, said, "Keep one of them.")
            self._keys.setdefault(id_, key)
        return ""

    def _output(self, renderer: Renderer, directive: Directive) -> str:
        renderer.refuse_options(directive)
        if not directive.argument:
            said = "This output belongs to no block."
            self._problems.add(directive.line, said, "Write :::{output} and the block's id.")
        for id_ in directive.argument.split():
            if id_ in self._examples:
                said = f"The block “{id_}” has an example already."
                self._problems.add(directive.line, said, "Keep one of them.")
            self._examples[id_] = (read_example(directive), directive.line)
        return ""

    def _in_track(self, renderer: Renderer, directive: Directive) -> str:
        renderer.refuse_options(directive)
        self._check_track(directive.argument or "?", directive.line)
        if len(renderer.open_directives) > 1 or directive.level:
            said = "A track can't stand inside something else."
            self._problems.add(directive.line, said, "Write it at the line's start.")
        before, self._track = self._track, directive.argument
        inside = renderer.inside(directive)
        self._track = before
        return (
            self._mark(TrackSwitch(directive.argument)) + inside + self._mark(TrackSwitch(before))
        )

    def _check_track(self, track: str, line: int) -> None:
        if track and track not in self._tracks:
            hint = suggest(track, self._tracks) if self._tracks else "Write tracks: in the header."
            self._problems.add(line, f"The lesson has no track “{track}”.", hint)
