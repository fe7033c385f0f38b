"""A student's archive made safe to keep: pure, in memory, nothing is ever unpacked here.

What a lab sends is forged for all we know. Out comes a plain tar that depends on the workspace
alone, so that the same files give the same bytes.
"""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from labs.engine.careful_tar import CarefulTarInfo

MIB = 1024 * 1024
MAX_ARCHIVE_BYTES = 128 * MIB
PIECE_BYTES = 64 * 1024
LATEST_S = 2**32 - 1
"""The year 2106: later ones are more than a zip or a program of somebody's can say."""


@dataclass(frozen=True)
class ArchiveLimits:
    content_bytes: int = 64 * MIB
    """Of all files together, as a reader sees them: the holes of a sparse file count."""
    members: int = 20_000
    name_bytes: int = 4096
    """As long as a path may be for programs that say it whole."""
    depth: int = 100
    seconds: float = 20.0


@dataclass(frozen=True)
class Fetched:
    """What a lab sent as the archive of its workspace. Whoever reads the file closes it."""

    file: IO[bytes]
    is_readable: bool
    """False where the student has closed some of it to themselves."""


@dataclass(frozen=True)
class Sanitised:
    """A tar of directories, files and links within, sorted by name, owned by nobody."""

    data: bytes
    left_out: tuple[str, ...]
    """Names of what may not be kept, or was beyond the limits."""
    is_partial: bool
    """The archive was cut off, or a limit was reached."""


@dataclass(frozen=True)
class _Member:
    info: tarfile.TarInfo
    content: bytes = b""


class _Refused(Exception):
    """This member may not be kept."""


def sanitise(archive: bytes, limits: ArchiveLimits = ArchiveLimits()) -> Sanitised:
    """Never raises for what a student may have put in."""
    reader = _Reader(limits)
    reader.read_all(archive)
    kept = {name: member for name, member in reader.kept.items() if reader.has_real_parents(name)}
    lost = [name for name in reader.kept if name not in kept]
    return Sanitised(
        data=_write(kept), left_out=tuple(reader.left_out + lost), is_partial=reader.is_partial
    )


class _Reader:
    def __init__(self, limits: ArchiveLimits) -> None:
        self.kept: dict[str, _Member] = {}
        self.left_out: list[str] = []
        self.is_partial = False
        self._limits = limits
        self._bytes = 0
        self._seen = 0
        self._give_up_at = time.monotonic() + limits.seconds

    def read_all(self, archive: bytes) -> None:
        try:
            with tarfile.open(
                fileobj=io.BytesIO(archive),
                mode="r:",
                errors="surrogateescape",
                encoding="utf-8",
                ignore_zeros=False,
                tarinfo=CarefulTarInfo,
            ) as tar:
                while (info := tar.next()) is not None and self._has_room():
                    self._take(tar, info)
                    tar.members.clear()  # type: ignore[attr-defined]  # else each is kept twice
        except (tarfile.TarError, EOFError, ValueError, OSError, OverflowError):
            self.is_partial = True

    def _has_room(self) -> bool:
        self._seen += 1
        if self._seen <= self._limits.members and time.monotonic() < self._give_up_at:
            return True
        self.is_partial = True
        return False

    def _take(self, tar: tarfile.TarFile, info: tarfile.TarInfo) -> None:
        try:
            name = _safe_name(info.name)
            self._check_length(name)
            if name:
                self.kept[name] = self._member(tar, info, name)
        except _Refused:
            self.left_out.append(info.name[: self._limits.name_bytes])

    def _check_length(self, name: str) -> None:
        """Of names in names in names each would cost as much as all above it."""
        size = len(name.encode("utf-8", "surrogateescape"))
        if size > self._limits.name_bytes or name.count("/") >= self._limits.depth:
            self.is_partial = True
            raise _Refused

    def _member(self, tar: tarfile.TarFile, info: tarfile.TarInfo, name: str) -> _Member:
        clean = _clean_info(info, name)
        if info.isdir():
            return _Member(_typed(clean, tarfile.DIRTYPE))
        if info.issym():
            clean.linkname = _safe_target(info.linkname, name)
            return _Member(_typed(clean, tarfile.SYMTYPE))
        content = self._content(tar, info)
        clean.size = len(content)
        return _Member(clean, content)

    def _content(self, tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
        """A hard link becomes a file of its own."""
        if info.islnk():
            original = self.kept.get(_safe_name(info.linkname))
            if original is None or not original.info.isreg():
                raise _Refused
            content = original.content
            self._spend(len(content))
            return content
        if not info.isreg():
            raise _Refused
        self._spend(info.size)
        file = tar.extractfile(info)
        content = b"".join(self._pieces(file)) if file else b""
        if len(content) != info.size:
            self.is_partial = True
            raise _Refused
        return content

    def _pieces(self, file: IO[bytes]) -> Iterator[bytes]:
        """Read at once, a file of many holes would be copied anew for each of them."""
        while time.monotonic() < self._give_up_at and (piece := file.read(PIECE_BYTES)):
            yield piece

    def _spend(self, size: int) -> None:
        if self._bytes + size > self._limits.content_bytes:
            self.is_partial = True
            raise _Refused
        self._bytes += size

    def has_real_parents(self, name: str) -> bool:
        """Nothing is written through a link, or below a file."""
        parents = (self.kept.get(str(parent)) for parent in PurePosixPath(name).parents)
        return all(parent is None or parent.info.isdir() for parent in parents)


def _safe_name(name: str) -> str:
    """The name within the workspace, empty for the workspace itself. Raises _Refused."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or "\0" in name:
        raise _Refused
    return "/".join(parts)


def _safe_target(target: str, name: str) -> str:
    """A link's target as it is, if it can't lead out of the tree. Raises _Refused.

    `..` may only stand at the front: behind a name that is a link itself it leads anywhere.
    """
    parts = [part for part in target.split("/") if part not in ("", ".")]
    up = next((i for i, part in enumerate(parts) if part != ".."), len(parts))
    depth = name.count("/")
    if target.startswith("/") or not target or ".." in parts[up:] or up > depth:
        raise _Refused
    return target


def _clean_info(info: tarfile.TarInfo, name: str) -> tarfile.TarInfo:
    clean = tarfile.TarInfo(name)
    clean.mode = info.mode & 0o777
    clean.mtime = min(max(0, int(info.mtime)), LATEST_S)
    return clean


def _typed(info: tarfile.TarInfo, kind: bytes) -> tarfile.TarInfo:
    info.type = kind
    return info


def _write(kept: dict[str, _Member]) -> bytes:
    """Sorted, since a directory's own order varies. GNU format keeps names of any bytes."""
    target = io.BytesIO()
    with tarfile.open(
        fileobj=target,
        mode="w:",
        format=tarfile.GNU_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    ) as tar:
        for name in sorted(kept, key=lambda name: name.encode("utf-8", "surrogateescape")):
            tar.addfile(kept[name].info, io.BytesIO(kept[name].content))
    return target.getvalue()
