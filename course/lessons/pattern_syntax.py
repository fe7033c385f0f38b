"""Reads a pattern into a tree: letters, `.`, `[a-z]`, `\\d \\w \\s`, `( | )`, `* + ? {2,5}`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MAX_NESTING = 20
MAX_REPEAT = 100
SPECIAL = set(".[](){}*+?|^$\\")
REFUSED_GROUP = "“(?” begins something that patterns here can't do. Plain ( ) are enough."

Test = Callable[[str], bool]


class PatternError(ValueError):
    """The pattern can't be used; the text says why to its author."""


@dataclass(frozen=True)
class Letter:
    """One character that passes the test."""

    test: Test


@dataclass(frozen=True)
class Row:
    """One part after the other; empty for nothing at all."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """One of the options; never empty."""

    options: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """The part, `least` to `most` times; `most` is None where there is no end."""

    part: Node
    least: int
    most: int | None


Node = Letter | Row | Choice | Repeat

CLASSES: dict[str, Test] = {
    "d": str.isdecimal,
    "w": lambda char: char.isalnum() or char == "_",
    "s": str.isspace,
}
REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def read_pattern(pattern: str, *, ignore_case: bool) -> Node:
    """The pattern as a tree. Raises PatternError."""
    reader = _Reader(pattern, ignore_case)
    node = reader.choice(0)
    if reader.next():
        raise PatternError("There is a “)” too many.")
    return node


def _in_any_case(test: Test) -> Test:
    return lambda char: test(char) or test(char.lower()) or test(char.upper())


def _not(test: Test) -> Test:
    return lambda char: not test(char)


def _any_of(tests: list[Test]) -> Test:
    return lambda char: any(test(char) for test in tests)


class _Reader:
    def __init__(self, pattern: str, ignore_case: bool) -> None:
        self._pattern = pattern
        self._ignore_case = ignore_case
        self._at = 0

    def next(self) -> str:
        """The character that comes, empty at the end."""
        return self._pattern[self._at : self._at + 1]

    def take(self) -> str:
        char = self.next()
        if not char:
            raise PatternError("The pattern ends too early: something is not closed.")
        self._at += 1
        return char

    def choice(self, depth: int) -> Node:
        if depth > MAX_NESTING:
            raise PatternError("The pattern has too many brackets inside brackets.")
        options = [self._row(depth)]
        while self.next() == "|":
            self.take()
            options.append(self._row(depth))
        return Choice(tuple(options)) if len(options) > 1 else options[0]

    def _row(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.next() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom(depth)))
        return Row(tuple(parts))

    def _repeated(self, part: Node) -> Node:
        sign = self.next()
        if sign not in ("*", "+", "?", "{"):
            return part
        self.take()
        least, most = self._braces() if sign == "{" else REPEATS[sign]
        if self.next() in ("*", "+", "?", "{") and self.next():
            raise PatternError(f"“{sign}{self.next()}” repeats a repetition. Leave one out.")
        return Repeat(part, least, most)

    def _braces(self) -> tuple[int, int | None]:
        inside = ""
        while (char := self.take()) != "}":
            inside += char
        low, comma, high = inside.partition(",")
        if not (low.isascii() and low.isdigit()) or (high and not high.isdecimal()):
            raise PatternError("Write {3}, {2,} or {2,5}; for the sign itself write \\{.")
        least = int(low[:4])
        most = least if not comma else int(high[:4]) if high else None
        if least > MAX_REPEAT or (most is not None and not least <= most <= MAX_REPEAT):
            raise PatternError(f"In {{{inside}}}: the least first, and at most {MAX_REPEAT}.")
        return least, most

    def _atom(self, depth: int) -> Node:
        char = self.take()
        if char == "(":
            return self._group(depth)
        if char == "[":
            return Letter(self._set())
        if char == "\\":
            return Letter(self._escape())
        if char == ".":
            return Letter(lambda _: True)
        if char in "^$":
            raise PatternError(f"Leave “{char}” out: the whole answer is always compared.")
        if char in SPECIAL:
            raise PatternError(f"“{char}” has nothing to work on. For the sign itself: \\{char}")
        return Letter(self._between(char, char))

    def _group(self, depth: int) -> Node:
        if self.next() == "?":
            self.take()
            if self.take() != ":":
                raise PatternError(REFUSED_GROUP)
        node = self.choice(depth + 1)
        if self.take() != ")":
            raise PatternError("A “(” is never closed.")
        return node

    def _escape(self) -> Test:
        char = self.take()
        if char.lower() in CLASSES:
            test = CLASSES[char.lower()]
            return test if char.islower() else _not(test)
        if char.isalnum():
            raise PatternError(f"“\\{char}” means nothing here. There are \\d, \\w and \\s.")
        return self._between(char, char)

    def _set(self) -> Test:
        is_negated = self.next() == "^"
        if is_negated:
            self.take()
        tests = [self._member()]
        while self.next() != "]":
            tests.append(self._member())
        self.take()
        return _not(_any_of(tests)) if is_negated else _any_of(tests)

    def _member(self) -> Test:
        char = self.take()
        if char == "\\":
            return self._escape()
        if self.next() != "-" or self._pattern[self._at + 1 : self._at + 2] in ("", "]"):
            return self._between(char, char)
        self.take()
        high = self.take()
        if high == "\\" or high < char:
            raise PatternError(f"“{char}-{high}” is not a range.")
        return self._between(char, high)

    def _between(self, low: str, high: str) -> Test:
        def is_between(char: str) -> bool:
            return low <= char <= high

        # Below any negation: [^a] must refuse an A too where case is ignored.
        return _in_any_case(is_between) if self._ignore_case else is_between
