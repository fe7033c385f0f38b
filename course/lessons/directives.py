"""A fence such as `:::{block} Title` taken apart: name, argument, options, body. No meaning yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from course.lessons.fields import Entry
from course.lessons.problems import Problems

OPENING = re.compile(r"\{([A-Za-z][\w-]*)\}\s*(.*)", re.DOTALL)
OPTION = re.compile(r":([a-z][a-z-]*):(?:\s+(.*))?")
REPEATABLE = {"check"}


@dataclass(frozen=True)
class Directive:
    """One directive with the lines, counted from 1, that it and its body begin on."""

    name: str
    argument: str
    options: dict[str, Entry]
    body: str
    """Exactly as written, without the newline at the end."""
    line: int
    body_line: int
    level: int
    """How deep in lists and quotations it stands; 0 outside of them."""


def read_directive(token: Token, problems: Problems) -> Directive | None:
    """The directive of a fence whose `map` counts from the file's start; None for plain code."""
    opening = OPENING.fullmatch(token.info.strip())
    if opening is None:
        return None
    line = (token.map or [0])[0] + 1
    lines = token.content.split("\n")[:-1] if token.content else []
    options, count = _read_options(lines, line + 1, problems)
    body = "\n".join(lines[count:])
    return Directive(
        opening[1], opening[2].strip(), options, body, line, line + 1 + count, token.level
    )


def _read_options(
    lines: list[str], first_line: int, problems: Problems
) -> tuple[dict[str, Entry], int]:
    """The options on the first lines, and how many lines they take with the blank one below."""
    options: dict[str, Entry] = {}
    found = [OPTION.fullmatch(text.rstrip()) for text in lines]
    count = next((at for at, option in enumerate(found) if option is None), len(lines))
    for at, option in enumerate(filter(None, found[:count])):
        _set_option(options, option[1], Entry(option[2] or "", first_line + at), problems)
    has_blank_line = bool(options) and count < len(lines) and not lines[count].strip()
    return options, count + has_blank_line


def _set_option(options: dict[str, Entry], name: str, entry: Entry, problems: Problems) -> None:
    if name in REPEATABLE:
        before = options[name].value if name in options else []
        options[name] = Entry([*before, entry], entry.line)
    elif name in options:
        problems.add(entry.line, f"“:{name}:” is set twice.", "Keep one of them.")
    else:
        options[name] = entry


def is_closed(token: Token, source_lines: Sequence[str]) -> bool:
    """Whether the fence's last line closes it. Otherwise it has swallowed all the rest."""
    start, end = token.map or [0, 1]
    # In a quotation each line of the file begins with its sign.
    last = source_lines[end - 1].lstrip("> \t").rstrip() if end <= len(source_lines) else ""
    return end - 1 > start and set(last) == {token.markup[0]} and len(last) >= len(token.markup)
