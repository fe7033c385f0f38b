"""What is wrong with a lab, from what was seen in it: facts in, findings with repairs out. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from labs.engine.listing import read_name, show_name

MIB = 1024 * 1024
ALMOST = 0.02
"""A part of a disk or of its places for files that counts as nothing left."""
CROWDED = 0.8
RUNAWAY_CPU_S = 20.0
RUNAWAY_SHARE = 0.2
"""Of one core since it began. A lab has half a core, which several programs may share."""
SHOWN_FILES = 5

Words = Any
"""A sentence that is translated when it is shown."""


@dataclass(frozen=True)
class Disk:
    """Room on one of a lab's disks."""

    total_bytes: int
    free_bytes: int
    places: int
    """For files and folders, however small."""
    free_places: int

    @property
    def is_full(self) -> bool:
        return self.free_bytes < max(self.total_bytes * ALMOST, 64 * 1024)

    @property
    def is_crowded(self) -> bool:
        return self.free_places < self.places * ALMOST


@dataclass(frozen=True)
class Program:
    """A process of the student's."""

    command: str
    cpu_s: float
    age_s: float

    @property
    def is_runaway(self) -> bool:
        return self.cpu_s >= RUNAWAY_CPU_S and self.cpu_s >= RUNAWAY_SHARE * self.age_s


@dataclass(frozen=True)
class BigFile:
    name: str
    """As `labs.engine.listing` spells it."""
    size_bytes: int


@dataclass(frozen=True)
class Facts:
    """What an examination saw. What it could not see stands at its harmless default."""

    engine_error: str = ""
    is_image_missing: bool = False
    start_error: str = ""
    """Why the lab could not be started or reached."""
    waits_for: str = ""
    """What the lab waits for, in words: all places are taken, say."""
    is_table_full: bool = False
    """Not even the examination's own program could begin."""
    is_memory_full: bool = False
    """The examination's own program was ended for want of memory."""
    workspace: Disk | None = None
    tmp: Disk | None = None
    is_writable: bool = True
    is_owned: bool = True
    process_count: int = 0
    process_limit: int = 0
    programs: tuple[Program, ...] = ()
    largest: tuple[BigFile, ...] = ()


@dataclass(frozen=True)
class Repair:
    """A button: the kind of wish it makes, and the file that it is about."""

    kind: str
    name: str = ""
    size_bytes: int = 0

    @property
    def shown_name(self) -> str:
        return show_name(read_name(self.name))


@dataclass(frozen=True)
class Finding:
    code: str
    title: Words
    words: Words
    repairs: tuple[Repair, ...] = field(default=())
    is_ours: bool = False
    """Nothing that its owner did or can mend: an admin has to."""


RESTART, RESET, REBUILD = Repair("restart"), Repair("reset"), Repair("rebuild")


def read_facts(stored: Mapping[str, Any]) -> Facts:
    """The facts of a wish's row."""
    simple = {name: stored[name] for name in SIMPLE if name in stored}
    return Facts(
        **simple,
        workspace=Disk(**stored["workspace"]) if stored.get("workspace") else None,
        tmp=Disk(**stored["tmp"]) if stored.get("tmp") else None,
        programs=tuple(Program(**found) for found in stored.get("programs", ())),
        largest=tuple(BigFile(**found) for found in stored.get("largest", ())),
    )


SIMPLE = (
    "engine_error",
    "is_image_missing",
    "start_error",
    "waits_for",
    "is_table_full",
    "is_memory_full",
    "is_writable",
    "is_owned",
    "process_count",
    "process_limit",
)


def find_troubles(facts: Facts) -> tuple[Finding, ...]:
    """Everything that is wrong, the worst first; nothing for a healthy lab."""
    if facts.engine_error:
        return (_engine_down(),)
    return (
        *_of_the_start(facts),
        *_of_processes(facts),
        *_of_disks(facts),
        *_of_rights(facts),
    )


def _engine_down() -> Finding:
    return Finding(
        "engine_down",
        _("The lab machine does not answer"),
        _(
            "No lab can start just now; it is not your fault. Your saved files are all here: "
            "read or download them below. An admin has to look at the machine."
        ),
        is_ours=True,
    )


def _of_the_start(facts: Facts) -> Iterator[Finding]:
    if facts.is_image_missing:
        yield Finding(
            "image_gone",
            _("The lab's image is gone"),
            _(
                "New labs can't start until an admin has built the image again (make image). "
                "Your saved files are all here: read or download them below."
            ),
            is_ours=True,
        )
    elif facts.start_error:
        yield Finding(
            "lab_failed",
            _("Your lab does not start"),
            format_lazy(
                _("{error} Your saved files are kept. Try Rebuild first, then Reset."),
                error=facts.start_error,
            ),
            (REBUILD, RESET),
        )
    elif facts.waits_for:
        yield Finding("waits", _("Your lab waits for a place"), facts.waits_for, is_ours=True)


def _of_processes(facts: Facts) -> Iterator[Finding]:
    limit = facts.process_limit
    if facts.is_table_full or (limit and facts.process_count >= CROWDED * limit):
        yield Finding(
            "processes_full",
            _("Too many programs run at once"),
            _(
                "The lab has no room for another program. Restart ends all of them and keeps "
                "your files."
            ),
            (RESTART,),
        )
    if facts.is_memory_full:
        yield Finding(
            "memory_full",
            _("Your lab is out of memory"),
            _("Programs are ended as soon as they start. Restart frees it and keeps your files."),
            (RESTART,),
        )
    for program in facts.programs:
        if program.is_runaway:
            yield _runaway(program)


def _runaway(program: Program) -> Finding:
    return Finding(
        "runaway",
        _("A program runs without end"),
        format_lazy(
            _(
                "“{command}” has kept the processor busy for {seconds} seconds. If you don't "
                "wait for it, Restart ends it and keeps your files."
            ),
            command=program.command,
            seconds=round(program.cpu_s),
        ),
        (RESTART,),
    )


def _of_disks(facts: Facts) -> Iterator[Finding]:
    if facts.workspace and facts.workspace.is_full:
        yield Finding(
            "disk_full",
            _("Your lab's disk is full"),
            format_lazy(
                _(
                    "All of its {mebibytes} MiB are taken, so programs can't save. Remove a "
                    "large file that you don't need: it stays in the history."
                ),
                mebibytes=facts.workspace.total_bytes // MIB,
            ),
            (*_removals(facts), RESET),
        )
    if facts.workspace and facts.workspace.is_crowded:
        yield Finding(
            "places_full",
            _("Your lab has too many files"),
            _(
                "There is no place for another file, however small. Reset to a time before they "
                "were made, or remove the folder that holds them."
            ),
            (*_removals(facts), RESET),
        )
    if facts.tmp and (facts.tmp.is_full or facts.tmp.is_crowded):
        yield Finding(
            "tmp_full",
            _("The folder /tmp is full"),
            _("Restart empties it. Your files in the project are kept."),
            (RESTART,),
        )


def _removals(facts: Facts) -> tuple[Repair, ...]:
    return tuple(
        Repair("remove_file", found.name, found.size_bytes) for found in facts.largest[:SHOWN_FILES]
    )


def _of_rights(facts: Facts) -> Iterator[Finding]:
    if not facts.is_owned:
        yield Finding(
            "wrong_owner",
            _("Some files belong to somebody else"),
            _("Rebuild gives your lab a fresh disk with the same files, all of them yours."),
            (REBUILD,),
        )
    if not facts.is_writable:
        yield Finding(
            "unwritable",
            _("Some files can't be changed"),
            _(
                "Their permissions forbid it, so programs can't save. The repair lets you read "
                "and change them again; what is in them stays."
            ),
            (Repair("mend_modes"),),
        )
