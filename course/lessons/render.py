"""Markdown with directives → HTML in which the dynamic parts are markers. Knows no lesson.

What a directive or a role means is given by its caller; callouts, tables and comments are known
here, since a lesson and its guide share them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from course.lessons.directives import Directive, is_closed, read_directive
from course.lessons.fields import Fields
from course.lessons.problems import Problems, suggest
from course.lessons.tables import ROLE, open_table, plain_text, prepare_tables

MAX_NESTING = 5
HEADING_ID = re.compile(r"\s*\{#([^}]*)\}\s*$")
WEB_LINK = re.compile(r"(https?://|mailto:|/)\S+")
CALLOUTS = {"note": "Note", "warning": "Warning"}

Handler = Callable[["Renderer", Directive], str]


@dataclass(frozen=True)
class Link:
    """A link or an image that has to lead somewhere."""

    target: str
    line: int


@dataclass(frozen=True)
class RawSection:
    """A section with its HTML, not yet cleaned or cut at its markers."""

    id: str
    title: str
    line: int
    html: str


def _make_markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.use(colon_fence_plugin).use(myst_role_plugin)
    markdown.core.ruler.before("inline", "heading_ids", _take_heading_ids)
    return markdown


def _line(token: Token) -> int:
    return (token.map or [0])[0] + 1


def _is_section(token: Token) -> bool:
    return token.type == "heading_open" and token.tag == "h2" and token.level == 0


def _take_heading_ids(state: StateCore) -> None:
    """Moves `{#id}` from the end of a heading's text into its token."""
    for token, inline in zip(state.tokens, state.tokens[1:], strict=False):
        found = HEADING_ID.search(inline.content) if token.type == "heading_open" else None
        if found:
            token.meta["id"] = found[1]
            token.attrSet("id", found[1])
            inline.content = inline.content[: found.start()]


def _code(token: Token) -> str:
    language = re.sub(r"[^\w+-].*", "", token.info.strip(), flags=re.DOTALL)
    name = f' class="language-{language}"' if language else ""
    # A keyboard must be able to scroll a long line into view.
    return f'<pre tabindex="0"><code{name}>{html.escape(token.content, quote=False)}</code></pre>\n'


class Renderer:
    """Renders one file. Lines are counted from the file's start, from 1."""

    def __init__(
        self,
        file_lines: Sequence[str],
        problems: Problems,
        directives: Mapping[str, Handler],
        role: Callable[[Token, int], str],
    ) -> None:
        self.links: list[Link] = []
        self.heading_ids: list[tuple[str, int]] = []
        self.open_directives: list[str] = []
        self.problems = problems
        self._file_lines = file_lines
        self._role = role
        self._directives: dict[str, Handler] = {
            "comment": _nothing,
            "note": _callout,
            "table": _table,
            "warning": _callout,
            **directives,
        }
        self._markdown = _make_markdown()
        self._html = _Html(self)

    def sections(self, text: str, first_line: int) -> list[RawSection]:
        """The text cut at its second-level headings."""
        tokens = self._parse(text, first_line)
        starts = [at for at, token in enumerate(tokens) if _is_section(token)]
        cuts = [0, *starts, len(tokens)]
        return [self._section(tokens[start:end]) for start, end in pairwise(cuts) if end > start]

    def page(self, text: str, first_line: int) -> str:
        """The whole text as HTML, headings included."""
        return self._render(self._parse(text, first_line))

    def inside(self, directive: Directive) -> str:
        """The body of a directive as HTML. Sections can't begin in there."""
        return self._render(self._parse_inside(directive))

    def table_inside(self, directive: Directive) -> str:
        """The one table in the body of a directive, with the argument as its caption."""
        tokens = self._parse_inside(directive)
        if [token.type for token in tokens if token.level == 0] != ["table_open", "table_close"]:
            said = f"Inside {{{directive.name}}} there must be one table and nothing else."
            self.problems.add(directive.line, said, "Write its rows as | cell | cell |.")
            return ""
        tokens[0].meta["caption"] = directive.argument
        return self._render(tokens)

    def refuse_options(self, directive: Directive) -> None:
        """Notes every option of a directive that has none."""
        what = f"{{{directive.name}}}"
        Fields(directive.options, self.problems, what, directive.line).finish()

    def _section(self, tokens: list[Token]) -> RawSection:
        if not _is_section(tokens[0]):
            return RawSection("", "", 0, self._render(tokens))
        return RawSection(
            id=str(tokens[0].meta.get("id", "")),
            title=plain_text(tokens[1]),
            line=_line(tokens[0]),
            html=self._render(tokens[3:]),
        )

    def _render(self, tokens: Sequence[Token]) -> str:
        return self._html.render(tokens, self._markdown.options, {})

    def _parse(self, text: str, first_line: int) -> list[Token]:
        # Without a last newline the colon fences' rule looks beyond the end of the text.
        tokens = self._markdown.parse(text + "\n")
        for token in tokens:
            if token.map:
                token.map = [line + first_line - 1 for line in token.map]
        prepare_tables(tokens, self._file_lines, self.problems)
        for token, following in pairwise([*tokens, *tokens[-1:]]):
            self._check_token(token, following)
        return tokens

    def _parse_inside(self, directive: Directive) -> list[Token]:
        if len(self.open_directives) > MAX_NESTING:
            self.problems.add(directive.line, "This is nested too deeply.", "Take it out.")
            return []
        tokens = self._parse(directive.body, directive.body_line)
        for token in filter(_is_section, tokens):
            said = f"A section can't begin inside {{{directive.name}}}."
            self.problems.add(_line(token), said, "Write ### for a heading in there.")
        return tokens

    # Checks --------------------------------------------------------------------------------------

    def _check_token(self, token: Token, following: Token) -> None:
        if token.type in ("fence", "colon_fence") and not is_closed(token, self._file_lines):
            said = f"What begins with {token.markup}{token.info} is never closed."
            self.problems.add(_line(token), said, f"Write a line {token.markup} below it.")
        if token.type == "heading_open":
            self._check_heading(token, following)
        for child in token.children or []:
            if child.type == "link_open":
                self._check_link(str(child.attrs.get("href", "")), _line(token))
            elif child.type == "image":
                self._check_image(child, _line(token))
            elif child.type == ROLE:
                child.meta["line"] = _line(token)

    def _check_heading(self, token: Token, inline: Token) -> None:
        if "id" in token.meta and not _is_section(token):
            self.heading_ids.append((str(token.meta["id"]), _line(token)))
        if token.tag == "h1":
            said = "A heading with one # would be a second title of the page."
            self.problems.add(_line(token), said, "Write ## or ###.")
        if token.tag == "h2" and token.level:
            said = "A section can't begin inside a list or a quotation."
            self.problems.add(_line(token), said, "Write it at the line's start.")
        if not plain_text(inline):
            self.problems.add(_line(token), "This heading is empty.", "Write ## and a title.")

    def _check_image(self, image: Token, line: int) -> None:
        if not image.content.strip():
            said = "This picture has no description for those who can't see it."
            self.problems.add(line, said, "Write ![what it shows](files/name.png).")
        self._check_link(str(image.attrs.get("src", "")), line)

    def _check_link(self, href: str, line: int) -> None:
        if not WEB_LINK.fullmatch(href):
            self.links.append(Link(unquote(href), line))

    # Called for single tokens ---------------------------------------------------------------------

    def fence(self, token: Token) -> str:
        """What stands in a fence: a directive's HTML, or plain code."""
        directive = read_directive(token, self.problems)
        if directive is None:
            return _code(token)
        handler = self._directives.get(directive.name)
        if handler is None:
            said = f"There is no directive {{{directive.name}}}."
            self.problems.add(directive.line, said, suggest(directive.name, self._directives))
            return ""
        self.open_directives.append(directive.name)
        try:
            return handler(self, directive)
        finally:
            self.open_directives.pop()

    def role(self, token: Token) -> str:
        """The HTML of a role in a line of text."""
        return self._role(token, token.meta["line"])


class _Html(RendererHTML):
    """markdown-it's renderer, which calls the method that is named like a token."""

    def __init__(self, owner: Renderer) -> None:
        super().__init__()
        self._owner = owner

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return self._owner.fence(tokens[idx])

    def colon_fence(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return self._owner.fence(tokens[idx])

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return _code(tokens[idx])

    def myst_role(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return self._owner.role(tokens[idx])

    def table_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return open_table(tokens[idx])

    def table_close(self, *_: Any) -> str:
        return "</table></div>\n"


# The directives that lessons and guides share ----------------------------------------------------


def _nothing(_renderer: Renderer, _directive: Directive) -> str:
    return ""


def _callout(renderer: Renderer, directive: Directive) -> str:
    renderer.refuse_options(directive)
    kind = CALLOUTS[directive.name]
    title = html.escape(directive.argument or kind)
    label = title if title == kind else f"{kind}: {title}"
    return (
        f'<div class="callout callout-{directive.name}" role="note" aria-label="{label}">'
        f'<p class="callout-title">{title}</p>\n{renderer.inside(directive)}</div>\n'
    )


def _table(renderer: Renderer, directive: Directive) -> str:
    renderer.refuse_options(directive)
    if not directive.argument:
        said = "This table has no caption."
        renderer.problems.add(directive.line, said, "Write :::{table} What it shows")
    return renderer.table_inside(directive)
