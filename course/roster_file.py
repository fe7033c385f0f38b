"""Reads and writes roster files: bytes to lines with their problems, and back. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

MAX_BYTES = 256 * 1024
MAX_LINES = 1_000
LONGEST = {"username": 150, "external_id": 64, "first_name": 150, "last_name": 150}
NAMES_OF_COLUMNS = {
    "username": ("username", "user name", "login", "user"),
    "external_id": ("external_id", "external id", "id", "student id", "student number", "number"),
    "first_name": ("first_name", "first name", "given name", "forename"),
    "last_name": ("last_name", "last name", "surname", "family name"),
}
SEPARATORS = ";,\t"
# A cell begins at the front, and wherever a spreadsheet with another separator would cut it.
_BEGINNING, _FORMULA = r"(^|[;\t\r\n])([^\S;\t\r\n]*)", r"(?=[=+\-@＝＋－＠])"
_TO_GUARD = re.compile(_BEGINNING + _FORMULA)
_GUARDED = re.compile(f"{_BEGINNING}'{_FORMULA}")


class Unreadable(Exception):
    """The file is no roster at all; the text says why."""


@dataclass(frozen=True)
class RosterLine:
    """One student of the file, by its line there. What the file leaves out is empty."""

    number: int
    external_id: str = ""
    username: str = ""
    first_name: str = ""
    last_name: str = ""


@dataclass(frozen=True)
class Problem:
    line: int
    text: str


@dataclass(frozen=True)
class RosterFile:
    lines: tuple[RosterLine, ...]
    columns: frozenset[str] = frozenset()
    """Those that the file has: one that is missing leaves what is known as it is."""
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = field(default=())


def read_roster(data: bytes) -> RosterFile:
    """Raises Unreadable. What is wrong with single lines stands in `problems`."""
    if len(data) > MAX_BYTES:
        raise Unreadable(_("The file is larger than 256 KiB, so it was not read."))
    text, notices = _decoded(data)
    rows = list(_rows(text))
    if not rows:
        raise Unreadable(_("The file is empty, so there is nothing to change."))
    columns, unknown = _columns(rows[0][1])
    if unknown:
        notices.append(_("Columns that are not used: %(names)s.") % {"names": ", ".join(unknown)})
    lines = [_line(number, cells, columns) for number, cells in rows[1:]]
    if not lines:
        raise Unreadable(
            _("The file has a heading but no students, so there is nothing to change.")
        )
    if len(lines) > MAX_LINES:
        raise Unreadable(_("The file has more than 1,000 students, so it was not read."))
    return RosterFile(
        tuple(lines),
        frozenset(columns),
        tuple(_problems(lines, rows[1:], columns)),
        tuple(notices),
    )


def write_roster(lines: Iterable[Sequence[str]]) -> str:
    """CSV with the heading that `read_roster` knows, in which no cell acts as a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(LONGEST)
    writer.writerows([safe_cell(cell) for cell in line] for line in lines)
    return text.getvalue()


def safe_cell(text: str) -> str:
    """A spreadsheet takes `=…` for a formula of the file's sender: an apostrophe stops it."""
    return _TO_GUARD.sub(r"\1\2'", text)


def _without_guard(text: str) -> str:
    return _GUARDED.sub(r"\1\2", text)


def _decoded(data: bytes) -> tuple[str, list[str]]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decode(data, "utf-16"), []
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        notice = _(
            "The file is not in UTF-8, so it was read as Windows-1252. Look at names with accents "
            "before you apply it."
        )
        return _decode(data, "cp1252"), [notice]


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(
            _("The file is not text that we can read. Save it as “CSV UTF-8” and try again.")
        ) from error


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row that isn't blank."""
    if "\0" in text:
        raise Unreadable(_("The file is not a CSV file. Save your table as CSV and try again."))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
    try:
        for cells in reader:
            stripped = [_without_guard(cell.strip()) for cell in cells]
            if any(stripped):
                yield reader.line_num, stripped
    except csv.Error as error:
        raise Unreadable(
            _("Line %(number)s is not CSV, so the file was not read.") % {"number": reader.line_num}
        ) from error


def _separator(text: str) -> str:
    """The one that the heading uses most."""
    heading = next((line for line in text.splitlines() if line.strip()), "")
    return max(SEPARATORS, key=heading.count)


def _columns(heading: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """Field → place, and headings that mean nothing to us."""
    known = {name: field for field, names in NAMES_OF_COLUMNS.items() for name in names}
    columns: dict[str, int] = {}
    unknown = []
    for place, name in enumerate(heading):
        column = known.get(name.casefold())
        if column and column not in columns:
            columns[column] = place
        elif name:
            unknown.append(name)
    if not columns.keys() & {"username", "external_id"}:
        raise Unreadable(
            _(
                "The first line must name the columns, and one of them must be “username” or "
                "“external_id”, by which students are known again. Nothing was changed."
            )
        )
    return columns, unknown


def _line(number: int, cells: Sequence[str], columns: dict[str, int]) -> RosterLine:
    values = {name: cells[place] if place < len(cells) else "" for name, place in columns.items()}
    values["username"] = values.get("username", "").lower()
    return RosterLine(number, **values)


def _problems(
    lines: Sequence[RosterLine], rows: Sequence[tuple[int, list[str]]], columns: dict[str, int]
) -> Iterator[Problem]:
    seen: dict[tuple[str, str], int] = {}
    width = max(columns.values()) + 1
    for line, (_number, cells) in zip(lines, rows, strict=True):
        if len(cells) < width:
            yield Problem(line.number, _("This line has too few cells."))
        yield from _too_long(line)
        yield from _seen_before(line, seen)


def _too_long(line: RosterLine) -> Iterator[Problem]:
    for name, longest in LONGEST.items():
        if len(getattr(line, name)) > longest:
            text = _("“%(name)s” is longer than %(longest)s characters.")
            yield Problem(line.number, text % {"name": name, "longest": longest})


def _seen_before(line: RosterLine, seen: dict[tuple[str, str], int]) -> Iterator[Problem]:
    for name in ("external_id", "username"):
        value = getattr(line, name)
        earlier = seen.setdefault((name, value), line.number) if value else line.number
        if earlier != line.number:
            text = _("“%(value)s” stands on line %(earlier)s already.")
            yield Problem(line.number, text % {"value": value, "earlier": earlier})
