"""What a kept archive holds: its list of files, one file's bytes, and archives made from it.

Pure, in memory. Names are text that may hold bytes of no alphabet (`surrogateescape`); in
addresses and forms they are spelled by `spell_name`, in ASCII that leads back to the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import posixpath
import stat
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from typing import IO
from urllib.parse import quote_from_bytes, unquote_to_bytes

from labs.engine.archive import sanitise

FILE, FOLDER, LINK = "file", "folder", "link"
Wanted = Callable[[str], bool]
KINDS = {tarfile.DIRTYPE: FOLDER, tarfile.SYMTYPE: LINK}


@dataclass(frozen=True)
class Entry:
    """One file, folder or link of a workspace."""

    name: str
    """Relative to the workspace."""
    size_bytes: int
    mode: int
    """Permission bits, such as 0o644."""
    kind: str
    """FILE, FOLDER or LINK."""
    digest: str
    """Of a file's content or a link's target, to compare two checkpoints by."""

    @property
    def spelled(self) -> str:
        return spell_name(self.name)

    @property
    def shown_name(self) -> str:
        return show_name(self.name)

    @property
    def rights(self) -> str:
        """As `ls -l` shows them: `rw-r--r--`."""
        return stat.filemode(self.mode)[1:]


def spell_name(name: str) -> str:
    return quote_from_bytes(name.encode("utf-8", "surrogateescape"), safe="/")


def read_name(spelled: str) -> str:
    """The name that `spell_name` spelled. Never raises."""
    return unquote_to_bytes(spelled).decode("utf-8", "surrogateescape")


def show_name(name: str) -> str:
    """For people: what can't be seen, or reorders the rest, is shown by number."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(char if char.isprintable() else f"⟨U+{ord(char):04X}⟩" for char in text)


def list_entries(archive: bytes) -> tuple[Entry, ...]:
    """Every entry, in the archive's order. Never raises for an archive of our own."""
    with _opened(archive) as tar:
        return tuple(_entry(tar, info) for info in tar if _clean(info.name))


def _entry(tar: tarfile.TarFile, info: tarfile.TarInfo) -> Entry:
    content = _content(tar, info)
    return Entry(
        name=_clean(info.name),
        size_bytes=len(content) if info.isreg() else 0,
        mode=info.mode & 0o777,
        kind=KINDS.get(info.type, FILE),
        digest=hashlib.sha256(content).hexdigest(),
    )


def stream_entries(gzipped: bytes) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """Each regular file with its content, to be read before the next: little is ever unpacked."""
    with (
        gzip.GzipFile(fileobj=io.BytesIO(gzipped)) as archive,
        tarfile.open(fileobj=archive, mode="r|", encoding="utf-8", errors="surrogateescape") as tar,
    ):
        for info in tar:
            if info.isreg() and (content := tar.extractfile(info)):
                info.name = _clean(info.name)
                yield info, content
                tar.members.clear()  # type: ignore[attr-defined]  # else they add up


def without_entry(archive: bytes, name: str) -> bytes:
    """The same archive without that file or folder and all that is in it."""
    wanted = _clean(name)
    return _rewritten([(archive, lambda other: not _is_in(other, wanted))])


def with_entry_of(archive: bytes, source: bytes, name: str) -> bytes:
    """`archive` with that file as `source` holds it, and the folders that lead to it.

    A file that stands where such a folder has to be gives way.
    """
    wanted = _clean(name)
    parents = _parents(wanted)
    kinds = {entry.name: entry.kind for entry in list_entries(archive)}
    blocking = {parent for parent in parents if kinds.get(parent, FOLDER) != FOLDER}
    missing = parents - (kinds.keys() - blocking)
    return _rewritten(
        [
            (archive, lambda other: not _is_in(other, wanted) and other not in blocking),
            (source, lambda other: _is_in(other, wanted) or other in missing),
        ]
    )


def only_entry(archive: bytes, name: str) -> bytes:
    """That file or folder alone, with the folders that lead to it."""
    wanted = _clean(name)
    return _rewritten([(archive, lambda other: _is_in(other, wanted) or other in _parents(wanted))])


EMPTY = sanitise(b"").data
"""The archive of an empty workspace."""


def pack(entries: Sequence[Entry]) -> bytes:
    """A list of files, to be stored beside its archive."""
    return gzip.compress(json.dumps([astuple(entry) for entry in entries]).encode(), mtime=0)


def unpack(packed: bytes) -> tuple[Entry, ...]:
    return tuple(Entry(*fields) for fields in json.loads(gzip.decompress(packed)))


def _rewritten(parts: Sequence[tuple[bytes, Wanted]]) -> bytes:
    """Passed through the sanitiser: sorted and sound, as every archive that is kept."""
    target = io.BytesIO()
    with tarfile.open(
        fileobj=target,
        mode="w:",
        format=tarfile.GNU_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    ) as out:
        for archive, is_wanted in parts:
            _copy(archive, is_wanted, out)
    return sanitise(target.getvalue()).data


def _copy(archive: bytes, is_wanted: Wanted, out: tarfile.TarFile) -> None:
    with _opened(archive) as tar:
        for info in tar:
            if is_wanted(_clean(info.name)):
                out.addfile(info, io.BytesIO(_content(tar, info)) if info.isreg() else None)


def _content(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    if info.issym():
        return info.linkname.encode("utf-8", "surrogateescape")
    file = tar.extractfile(info) if info.isreg() else None
    return file.read() if file else b""


def _clean(name: str) -> str:
    """Relative to the workspace; empty for the workspace itself."""
    name = posixpath.normpath(name).strip("/")
    return "" if name == "." else name


def _is_in(name: str, folder: str) -> bool:
    return name == folder or name.startswith(folder + "/")


def _parents(name: str) -> set[str]:
    parts = name.split("/")
    return {"/".join(parts[:depth]) for depth in range(1, len(parts))}


@contextmanager
def _opened(archive: bytes) -> Iterator[tarfile.TarFile]:
    with tarfile.open(
        fileobj=io.BytesIO(archive), mode="r:", encoding="utf-8", errors="surrogateescape"
    ) as tar:
        yield tar
