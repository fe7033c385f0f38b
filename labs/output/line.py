"""The line that is being written, as a terminal keeps it: cells, and a cursor that can go back."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

TAB_COLUMNS = 8
MAX_MARKS = 8
"""Accents on one letter. No script needs more, and a pile of them covers the lines above."""
MAX_RUNS = 500
"""Changes of colour in one line; after that its rest is plain."""

Run = tuple[str, str]
"""Class names, and the text that has them."""


class Line:
    """Memory is bounded by `limit` columns: of what goes beyond, only the count is kept.

    A wide character has its second column in an empty cell. Text that is only ever added at the
    end, as nearly all is, stays in `_added` and never becomes cells.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._cells: list[str] = []
        self._styles: list[str] = []
        self._added: list[Run] = []  # after the cells; narrow characters only
        self._column = 0
        self._end = 0  # columns of cells and added text together
        self._beyond = 0  # where the cursor is, in characters after the limit
        self.hidden = 0
        """Characters after the limit."""

    def write(self, text: str, style: str, width: int = 1) -> None:
        """Writes over what is there. Every character of `text` is `width` columns wide."""
        end = self._column + len(text)
        if width == 1 and self._column == self._end and end <= self._limit and not self._beyond:
            self._added.append((style, text))
            self._column = self._end = end
            return
        fits = 0 if self._beyond else max(0, (self._limit - self._column) // width)
        if shown := text[:fits]:
            self._place([c for char in shown for c in (char, "")] if width == 2 else shown, style)
        if len(text) > fits:
            self._beyond += len(text) - fits
            self.hidden = max(self.hidden, self._beyond)

    def _place(self, cells: list[str] | str, style: str) -> None:
        self._settle()
        start, end = self._column, self._column + len(cells)
        if start > self._end:
            self._cells += " " * (start - self._end)
            self._styles += [""] * (start - self._end)
        self._halve_wide(start)
        self._halve_wide(end)
        self._cells[start:end] = cells
        self._styles[start:end] = [style] * len(cells)
        self._column, self._end = end, len(self._cells)

    def _settle(self) -> None:
        """Makes cells of all text, so that single ones can be changed."""
        for style, text in self._added:
            self._cells += text
            self._styles += [style] * len(text)
        self._added.clear()

    def _halve_wide(self, column: int) -> None:
        """Leaves blanks of a wide character that is about to lose its half before `column`."""
        if column < len(self._cells) and not self._cells[column]:
            self._cells[column - 1 : column + 1] = "  "

    def attach(self, mark: str, style: str) -> None:
        """Puts an accent or a joiner on the character before the cursor."""
        if self._beyond:
            return
        self._settle()
        base = self._column - 1
        if 0 <= base < self._end and not self._cells[base]:
            base -= 1
        if 0 <= base < self._end:
            self._cells[base] += mark if len(self._cells[base]) <= MAX_MARKS else ""
        elif self._column < self._limit:
            self._place(["\N{DOTTED CIRCLE}" + mark], style)

    def carriage_return(self) -> None:
        self._column = self._beyond = 0

    def backspace(self) -> None:
        if self._beyond:
            self._beyond -= 1
        else:
            self._column = max(0, self._column - 1)

    def tab(self) -> None:
        """Moves on to the next stop; as on a terminal, nothing is erased on the way."""
        columns = TAB_COLUMNS - self._column % TAB_COLUMNS
        if self._beyond or self._column + columns > self._limit:
            self._beyond += 1
        elif self._column == self._end:
            self.write(" " * columns, "")
        else:
            self._column += columns

    def erase(self, mode: str) -> None:
        """Erase in line: from the cursor on (empty or `0`), up to it (`1`), or all (`2`)."""
        if mode in ("", "0"):
            self.hidden = min(self.hidden, self._beyond)
            self._cut(self._column)
        elif mode == "1":
            self._blank(min(self._column + 1, self._end))
        elif mode == "2":
            self.hidden = 0
            self._cut(0)

    def _cut(self, column: int) -> None:
        self._settle()
        self._halve_wide(column)
        del self._cells[column:], self._styles[column:]
        self._end = len(self._cells)

    def _blank(self, count: int) -> None:
        self._settle()
        self._halve_wide(count)
        self._cells[:count] = " " * count
        self._styles[:count] = [""] * count

    def runs(self) -> tuple[Run, ...]:
        """The line's text, cut where its look changes."""
        if len(self._added) == 1 and not self._cells:
            return (self._added[0],)
        pieces = [*zip(self._styles, self._cells, strict=True), *self._added]
        groups = groupby(pieces, key=itemgetter(0))
        runs = [(style, "".join([text for _, text in group])) for style, group in groups]
        rest = "".join([text for _, text in runs[MAX_RUNS:]])
        return (*runs[:MAX_RUNS], ("", rest)) if rest else tuple(runs)
