"""Tables for everybody: header cells with a scope, a scrollable frame with a name, named gaps."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

from course.lessons.problems import Problems

ROLE = "myst_role"


def plain_text(inline: Token) -> str:
    """What a cell or heading says, without its marks and gaps."""
    children = inline.children or []
    parts = (child.content for child in children if child.type in ("text", "code_inline"))
    return "".join(parts).strip()


def prepare_tables(tokens: Sequence[Token], file_lines: Sequence[str], problems: Problems) -> None:
    """Changes the tokens of every table in place. Their `map` counts from the file's start."""
    for start, token in enumerate(tokens):
        if token.type == "table_open":
            rows = list(_rows(tokens[start:]))
            headings = [plain_text(inline) for _, inline in rows[0]]
            token.meta["headings"] = ", ".join(filter(None, headings))
            _prepare_head(rows[0])
            for number, row in enumerate(rows[1:], start=1):
                _prepare_row(row, headings, number)
                # Inside lists and quotations the file's line holds more than the row.
                if token.level == 0:
                    _check_width(row, len(headings), file_lines, problems)
    for token, following in zip(tokens, tokens[2:], strict=False):
        if following.type == "td_close":
            following.tag = token.tag


def _rows(tokens: Sequence[Token]) -> Iterator[list[tuple[Token, Token]]]:
    """Each row of the table that begins here: its cells as opening and inline token."""
    row: list[tuple[Token, Token]] = []
    for token, following in pairwise(tokens):
        if token.type in ("th_open", "td_open"):
            row.append((token, following))
        elif token.type == "tr_close":
            yield row
            row = []
        elif token.type == "table_close":
            return


def _prepare_head(row: list[tuple[Token, Token]]) -> None:
    for opening, inline in row:
        _move_alignment(opening)
        if plain_text(inline):
            opening.attrSet("scope", "col")


def _prepare_row(row: list[tuple[Token, Token]], headings: list[str], number: int) -> None:
    name = plain_text(row[0][1]) or f"row {number}"
    for heading, (opening, inline) in zip(headings, row, strict=True):
        _move_alignment(opening)
        for child in inline.children or []:
            if child.type == ROLE:
                child.meta["label"] = _label(heading, name)
    if plain_text(row[0][1]):
        row[0][0].tag = "th"
        row[0][0].attrSet("scope", "row")


def _label(heading: str, name: str) -> str:
    return f"{heading} {name}" if heading.endswith((":", "?", "!")) else f"{heading}: {name}"


def _check_width(
    row: list[tuple[Token, Token]], width: int, file_lines: Sequence[str], problems: Problems
) -> None:
    # Markdown drops the cells that are too many, and an author would never know.
    line = (row[0][1].map or [0])[0]
    cells = escapedSplit(file_lines[line].strip().removeprefix("|").removesuffix("|"))
    if len(cells) != width:
        problems.add(
            line + 1,
            f"This row has {len(cells)} cells, its table has {width}.",
            "Leave no cell out; a | inside a cell is written \\|.",
        )


def _move_alignment(opening: Token) -> None:
    # The strict Content-Security-Policy lets no style attribute work.
    style = opening.attrs.pop("style", None)
    if style is not None:
        opening.attrSet("class", f"align-{str(style).rpartition(':')[2]}")


def open_table(token: Token) -> str:
    """The start of a table in a frame that a keyboard can scroll and a screen reader can name."""
    caption = str(token.meta.get("caption", ""))
    label = html.escape(caption or str(token.meta["headings"]))
    frame = f'<div class="table-scroll" tabindex="0" role="region" aria-label="{label}">'
    if caption:
        return f"{frame}<table><caption>{html.escape(caption)}</caption>\n"
    return f'{frame}<table aria-label="{label}">\n'
