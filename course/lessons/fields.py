"""Typed reading of what an author set: YAML with line numbers, and the options of a directive.

YAML's own types are not used: `accept: [no, 1.0]` means the words that stand there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from course.lessons.problems import Problems, suggest

MAX_DEPTH = 6
WHOLE = re.compile(r"[0-9]{1,9}")
# To YAML these end a line, to editors and to everybody who counts lines they don't.
OTHER_BREAKS = str.maketrans(dict.fromkeys("\x85\u2028\u2029", " "))
FLAGS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True)
class Entry:
    """A value and the line it stands on: a text, a list of entries or a mapping of them."""

    value: Any
    line: int


class NotReadable(Exception):
    """The YAML is broken; the problem has been noted."""


def read_mapping(text: str, first_line: int, problems: Problems) -> dict[str, Entry]:
    """The top level of a YAML text whose first line is `first_line`. Raises NotReadable."""
    try:
        root = yaml.compose(text.translate(OTHER_BREAKS), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        problems.add(line, f"This YAML can't be read: {error.problem}.", _yaml_hint(error))
        raise NotReadable from error
    except (yaml.YAMLError, RecursionError) as error:
        problems.add(first_line, "This YAML can't be read.", "Write `name: value` on each line.")
        raise NotReadable from error
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        problems.add(first_line, "This is not a list of settings.", "Write `name: value`.")
        raise NotReadable
    return _YamlReader(first_line, problems).mapping(root, 0)


def _yaml_hint(error: yaml.MarkedYAMLError) -> str:
    if "mapping values" in (error.problem or ""):
        return "Put quotes around a value that has a colon in it."
    return "Put quotes around values that begin with a sign, and indent with spaces."


class _YamlReader:
    def __init__(self, first_line: int, problems: Problems) -> None:
        self._first_line = first_line
        self._problems = problems
        self._seen: set[int] = set()

    def entry(self, node: yaml.Node, depth: int) -> Entry:
        line = self._first_line + node.start_mark.line
        # An alias is the very node of its anchor: a few of them can unfold to gigabytes.
        if id(node) in self._seen or depth > MAX_DEPTH:
            self._problems.add(line, "That is nested too deeply or uses * and &.", "Write it out.")
            return Entry("", line)
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return Entry(self.mapping(node, depth), line)
        if isinstance(node, yaml.SequenceNode):
            return Entry([self.entry(child, depth + 1) for child in node.value], line)
        return Entry(str(node.value), line)

    def mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for key_node, value_node in node.value:
            line = self._first_line + key_node.start_mark.line
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else ""
            if not key or key in found:
                said = f"“{key}” is set twice." if key else "A name must be a plain word."
                self._problems.add(line, said, "Keep one of them." if key else "")
                continue
            found[key] = Entry(self.entry(value_node, depth + 1).value, line)
        return found


class Fields:
    """Reads the settings of one thing (`what`) and notes every wrong, missing or unknown one."""

    def __init__(
        self, entries: Mapping[str, Entry], problems: Problems, what: str, line: int
    ) -> None:
        self._entries = entries
        self._problems = problems
        self._what = what
        self._line = line
        self._asked: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def line_of(self, name: str) -> int:
        """The line where `name` is set, or where the whole thing begins."""
        entry = self._entries.get(name)
        return entry.line if entry else self._line

    def text(self, name: str, default: str | None = None) -> str:
        """The text of `name`; without a default it has to be there."""
        entry = self._ask(name)
        if entry is None or (entry.value == "" and default is None):
            if default is None:
                self._problems.add(
                    self.line_of(name), f"{self._what} has no {name}.", f"Write {name}: and a text."
                )
            return default or ""
        if not isinstance(entry.value, str):
            self._wrong(name, "one text", f"{name}: some words")
            return default or ""
        return entry.value.strip()

    def whole(self, name: str, default: int | None, low: int, high: int) -> int:
        """A whole number from `low` to `high`; without a default it has to be there."""
        text = self.text(name, None if default is None else str(default))
        if WHOLE.fullmatch(text) and low <= int(text) <= high:
            return int(text)
        if text:
            self._wrong(name, f"a whole number from {low} to {high}", f"{name}: {default or low}")
        return default or low

    def decimal(self, name: str) -> Decimal | None:
        """A number, or None where it is not set."""
        text = self.text(name, "")
        try:
            number = Decimal(text) if text else None
        except InvalidOperation:
            number = Decimal("nan")
        if number is not None and not number.is_finite():
            self._wrong(name, "a number", f"{name}: 2.5")
            return None
        return number

    def flag(self, name: str, default: bool = False) -> bool:
        """Yes or no."""
        text = self.text(name, "yes" if default else "no")
        if text.lower() not in FLAGS:
            self._wrong(name, "yes or no", f"{name}: yes")
        return FLAGS.get(text.lower(), default)

    def texts(self, name: str) -> tuple[str, ...]:
        """One text or a list of them, as a tuple; empty where it is not set."""
        entry = self._ask(name)
        if entry is None:
            return ()
        values = entry.value if isinstance(entry.value, list) else [entry]
        if not all(isinstance(value.value, str) for value in values):
            self._wrong(name, "a list of texts", f"{name}: [one, another]")
            return ()
        return tuple(value.value.strip() for value in values)

    def fields(self, name: str) -> Fields:
        """The settings below `name`; none where it is not set."""
        entry = self._ask(name)
        value = entry.value if entry else {}
        if not isinstance(value, dict):
            self._wrong(name, "a list of settings", f"{name}: and below it, indented, name: value")
            value = {}
        return Fields(value, self._problems, f"“{name}”", self.line_of(name))

    def names(self) -> list[str]:
        """Every name that is set, in the author's order."""
        return list(self._entries)

    def finish(self) -> None:
        """Notes every setting that nobody asked for. Call it when all others were read."""
        for name, entry in self._entries.items():
            if name not in self._asked:
                self._problems.add(
                    entry.line,
                    f"{self._what} has no setting “{name}”.",
                    suggest(name, self._asked),
                )

    def _ask(self, name: str) -> Entry | None:
        self._asked.add(name)
        return self._entries.get(name)

    def _wrong(self, name: str, wanted: str, example: str) -> None:
        self._problems.add(self.line_of(name), f"{name} must be {wanted}.", f"Write {example}")
