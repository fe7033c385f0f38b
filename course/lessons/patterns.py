"""Patterns for answers: the everyday part of regular expressions, matched in bounded time.

Python's `re` can take for ever on a pattern like `(a+)+b`, and nothing can interrupt it in a
thread. This matcher walks all alternatives at once, one character at a time, so that a match
costs at most MAX_STEPS x the answer's length. What it can't do (look-around, back-references) is
refused when the lesson is checked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from course.lessons.pattern_syntax import (
    Choice,
    Letter,
    Node,
    PatternError,
    Repeat,
    Row,
    read_pattern,
)

MAX_STEPS = 1000
MAX_ANSWER_CHARS = 300

__all__ = ["PatternError", "check_pattern", "fits_pattern"]


def check_pattern(pattern: str) -> None:
    """Raises PatternError, whose text is a sentence for the author."""
    _compile(pattern, True)


def fits_pattern(pattern: str, answer: str, *, ignore_case: bool = True) -> bool:
    """Whether the whole answer fits. One of more than MAX_ANSWER_CHARS never does."""
    if len(answer) > MAX_ANSWER_CHARS:
        return False
    program = _compile(pattern, ignore_case)
    states = program.reach({0})
    for char in answer:
        states = program.step(states, char)
        if not states:
            return False
    return len(program.tests) in states


@dataclass(frozen=True)
class _Program:
    """A machine with one state per step: a test to pass by one character, or a jump (None)."""

    tests: tuple[Callable[[str], bool] | None, ...]
    jumps: tuple[tuple[int, ...], ...]
    """Where a step leads: for a test once it is passed, for a jump at once."""

    def step(self, states: set[int], char: str) -> set[int]:
        """The states after one more character."""
        passed: set[int] = set()
        for state in states:
            test = self.tests[state] if state < len(self.tests) else None
            if test is not None and test(char):
                passed.update(self.jumps[state])
        return self.reach(passed)

    def reach(self, states: set[int]) -> set[int]:
        """The states and all that jumps lead to from there."""
        reached: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state in reached:
                continue
            reached.add(state)
            if state < len(self.tests) and self.tests[state] is None:
                waiting.extend(self.jumps[state])
        return reached


class _Writer:
    def __init__(self) -> None:
        self.tests: list[Callable[[str], bool] | None] = []
        self.jumps: list[tuple[int, ...]] = []

    def write(self, node: Node) -> None:
        if isinstance(node, Letter):
            self._add(node.test, (len(self.tests) + 1,))
        elif isinstance(node, Row):
            for part in node.parts:
                self.write(part)
        elif isinstance(node, Choice):
            self._choice(node)
        else:
            self._repeat(node)

    def _add(self, test: Callable[[str], bool] | None, jump: tuple[int, ...]) -> int:
        if len(self.tests) >= MAX_STEPS:
            raise PatternError("The pattern is too big. Make it shorter, or repeat less often.")
        self.tests.append(test)
        self.jumps.append(jump)
        return len(self.tests) - 1

    def _choice(self, node: Choice) -> None:
        ends = []
        for option in node.options[:-1]:
            fork = self._add(None, ())
            self.write(option)
            ends.append(self._add(None, ()))
            self.jumps[fork] = (fork + 1, len(self.tests))
        self.write(node.options[-1])
        for end in ends:
            self.jumps[end] = (len(self.tests),)

    def _repeat(self, node: Repeat) -> None:
        for _ in range(node.least):
            self.write(node.part)
        if node.most is None:
            fork = self._add(None, ())
            self.write(node.part)
            self._add(None, (fork,))
            self.jumps[fork] = (fork + 1, len(self.tests))
            return
        forks = []
        for _ in range(node.most - node.least):
            forks.append(self._add(None, ()))
            self.write(node.part)
        for fork in forks:
            self.jumps[fork] = (fork + 1, len(self.tests))


@lru_cache(maxsize=512)
def _compile(pattern: str, ignore_case: bool) -> _Program:
    writer = _Writer()
    # Answers are composed too; no composition makes one of the signs that patterns are built of.
    writer.write(read_pattern(unicodedata.normalize("NFC", pattern), ignore_case=ignore_case))
    return _Program(tuple(writer.tests), tuple(writer.jumps))
