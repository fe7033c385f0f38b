"""Where the parser writes down an author's mistakes, so that all of them are told at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from course.lessons.model import LessonError

ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_ID_CHARS = 64
ID_HINT = "Use small letters, digits and single hyphens, such as run-fresh."


class Problems:
    """The mistakes found so far in one file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[LessonError] = []

    def add(self, line: int, message: str, hint: str = "") -> None:
        """Notes one mistake; the same sentence about the same line is noted once."""
        error = LessonError(self.path, max(line, 1), message, hint)
        if error not in self.found:
            self.found.append(error)


class Ids:
    """Every id of a lesson and where it was given: one name space, as on the page."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._lines: dict[str, int] = {}

    def __contains__(self, id_: object) -> bool:
        return id_ in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def claim(self, id_: str, line: int) -> None:
        """Takes the id, or notes that it is malformed or taken."""
        if len(id_) > MAX_ID_CHARS or not ID.fullmatch(id_):
            self._problems.add(line, f"“{id_}” can't be an id.", ID_HINT)
        elif id_ in self._lines:
            first = self._lines[id_]
            self._problems.add(
                line,
                f"The id “{id_}” is already used on line {first}.",
                "Give one of the two another id.",
            )
        else:
            self._lines[id_] = line


def suggest(word: str, known: Iterable[str]) -> str:
    """`Did you mean …?` where something is close, else the list of what is known."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    if close:
        return f"Did you mean “{close[0]}”?"
    return f"There is: {', '.join(names)}." if names else "There is none yet."
