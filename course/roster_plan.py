"""What a roster file changes in a class: a plan to be looked at before anything is done. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from course.forms import USERNAME_VALIDATORS
from course.roster_file import Problem, RosterFile, RosterLine
from course.usernames import username_from

NAMES = ("first_name", "last_name")


class Kind(StrEnum):
    ADD = "add"
    """A new account is made."""
    ENROL = "enrol"
    """An account that the teacher made in another class joins this one."""
    RETURN = "return"
    """Somebody who had left is back."""
    CHANGE = "change"
    SAME = "same"
    STAY = "stay"
    """Not in the file, and left alone."""
    REMOVE = "remove"
    """Not in the file, and leaves the class; the account is kept."""


@dataclass(frozen=True)
class Member:
    """One membership as the plan sees it."""

    username: str
    external_id: str
    first_name: str
    last_name: str
    is_current: bool
    teaches: bool
    is_ours: bool
    """The account was made by a teacher in a class that the planner manages."""


@dataclass(frozen=True)
class Roster:
    """All that a plan depends on besides the file."""

    members: Sequence[Member]
    ours: Container[str]
    """Usernames outside the class of accounts that the planner manages."""
    taken: Container[str]
    """All usernames that exist, in small letters, of those that the file may come to."""


@dataclass(frozen=True)
class Entry:
    kind: Kind
    line: int
    """0 for those who are not in the file."""
    username: str
    external_id: str = ""
    first_name: str = ""
    last_name: str = ""
    changes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Field → before and after."""
    note: str = ""

    @property
    def shown_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip() or self.username


@dataclass(frozen=True)
class Plan:
    entries: Sequence[Entry]
    problems: Sequence[Problem]
    notices: Sequence[str] = ()

    def of(self, *kinds: Kind) -> list[Entry]:
        return [entry for entry in self.entries if entry.kind in kinds]

    @property
    def changes_something(self) -> bool:
        return len(self.of(Kind.SAME, Kind.STAY)) < len(self.entries)

    @property
    def can_be_applied(self) -> bool:
        return self.changes_something and not self.problems

    @property
    def fingerprint(self) -> str:
        """The same for the same plan, however often it is made and in whichever language."""
        told = [asdict(entry) | {"note": ""} for entry in self.entries]
        text = json.dumps(told, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def make_plan(file: RosterFile, roster: Roster, *, remove_missing: bool, most_new: int) -> Plan:
    planner = _Planner(file, roster)
    for line in file.lines:
        planner.take(line)
    planner.leave_out(Kind.REMOVE if remove_missing else Kind.STAY)
    problems = [*file.problems, *planner.problems, *_too_many(planner.entries, most_new)]
    problems.sort(key=lambda problem: problem.line)
    return Plan(tuple(planner.entries), tuple(problems), file.notices)


def plan_from(stored: Mapping[str, Any]) -> Plan:
    """The plan that `asdict` took apart."""
    return Plan(
        tuple(Entry(**entry | {"kind": Kind(entry["kind"])}) for entry in stored["entries"]),
        tuple(Problem(**problem) for problem in stored["problems"]),
        tuple(stored["notices"]),
    )


class _Refuse(Exception):
    """What is wrong with one line."""


class _Planner:
    """Goes through the lines once, and knows whom it has met."""

    def __init__(self, file: RosterFile, roster: Roster) -> None:
        self.columns, self.roster = file.columns, roster
        self.by_username = {member.username.lower(): member for member in roster.members}
        self.by_id = {m.external_id: m for m in roster.members if m.external_id}
        self.named = {line.username for line in file.lines if line.username}
        self.made: set[str] = set()
        self.met: set[str] = set()
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []

    def take(self, line: RosterLine) -> None:
        try:
            member = self._member_of(line)
            self.entries.append(self._known(line, member) if member else self._new(line))
        except _Refuse as no:
            self.problems.append(Problem(line.number, str(no)))

    def leave_out(self, kind: Kind) -> None:
        for m in self.roster.members:
            if m.is_current and not m.teaches and m.username not in self.met:
                names = (m.external_id, m.first_name, m.last_name)
                self.entries.append(Entry(kind, 0, m.username, *names))

    def _meet(self, username: str) -> None:
        if username in self.met:
            raise _Refuse(_("“%(name)s” stands in the file twice.") % {"name": username})
        self.met.add(username)

    def _member_of(self, line: RosterLine) -> Member | None:
        by_id = self.by_id.get(line.external_id)
        by_name = self.by_username.get(line.username)
        if by_id and line.username and by_id is not by_name:
            raise _Refuse(
                _("The id “%(id)s” is %(known)s's, and this line says “%(name)s”.")
                % {"id": line.external_id, "known": by_id.username, "name": line.username}
            )
        return by_id or by_name

    def _known(self, line: RosterLine, member: Member) -> Entry:
        if member.teaches:
            raise _Refuse(_("“%(name)s” teaches this class.") % {"name": member.username})
        if not (member.is_current or member.is_ours):
            raise _Refuse(
                _("“%(name)s” left the class with an account of their own. They join by the code.")
                % {"name": member.username}
            )
        self._meet(member.username)
        changes = self._changes(line, member)
        kind = Kind.CHANGE if changes else Kind.SAME
        after = {name: pair[1] for name, pair in changes.items()}
        values = {name: after.get(name, getattr(member, name)) for name in ("external_id", *NAMES)}
        return Entry(
            kind if member.is_current else Kind.RETURN,
            line.number,
            member.username,
            **values,
            changes=changes,
            note=self._note(line, member),
        )

    def _changes(self, line: RosterLine, member: Member) -> dict[str, tuple[str, str]]:
        """An empty cell leaves what is known as it is."""
        fields = ("external_id", *(NAMES if member.is_ours else ()))
        pairs = {name: (getattr(member, name), getattr(line, name)) for name in fields}
        return {name: (old, new) for name, (old, new) in pairs.items() if new and new != old}

    def _note(self, line: RosterLine, member: Member) -> str:
        differs = any(getattr(line, n) not in ("", getattr(member, n)) for n in NAMES)
        if differs and not member.is_ours:
            return _("Made their account themselves, so their own names stay.")
        return ""

    def _new(self, line: RosterLine) -> Entry:
        username = line.username or self._made_username(line)
        kind = self._kind_of_new(username)
        self._meet(username)
        names = (line.external_id, line.first_name, line.last_name)
        return Entry(kind, line.number, username, *names)

    def _kind_of_new(self, username: str) -> Kind:
        if username in self.roster.ours:
            return Kind.ENROL
        if username in self.roster.taken:
            raise _Refuse(
                _(
                    "An account “%(name)s” exists that no teacher of this class made. If it is "
                    "this student's own, let them join with the code; else choose another name."
                )
                % {"name": username}
            )
        _check_username(username)
        return Kind.ADD

    def _made_username(self, line: RosterLine) -> str:
        if not (line.first_name or line.last_name):
            raise _Refuse(_("No username and no name stands here, so no account can be made."))
        taken = _Union(self.roster.taken, self.named, self.made)
        username = username_from(line.first_name, line.last_name, taken)
        self.made.add(username)
        return username


class _Union:
    def __init__(self, *sets: Container[str]) -> None:
        self.sets = sets

    def __contains__(self, name: object) -> bool:
        return any(name in names for names in self.sets)


def _check_username(username: str) -> None:
    for validate in USERNAME_VALIDATORS:
        try:
            validate(username)
        except ValidationError as error:
            raise _Refuse(f"“{username}”: {' '.join(error.messages)}") from error


def _too_many(entries: Iterable[Entry], most: int) -> Iterator[Problem]:
    new = [entry for entry in entries if entry.kind == Kind.ADD]
    if len(new) > most:
        text = _("From here on there are more than %(most)s new accounts. Split the file.")
        yield Problem(new[most].line, text % {"most": most})
