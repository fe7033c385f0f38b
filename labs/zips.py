"""Files as a zip, made while it is sent: never whole in memory or on a disk."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, cast

from labs.engine.archive import LATEST_S
from labs.engine.listing import stream_entries

PIECE_BYTES = 64 * 1024
OLDEST = (1980, 1, 1, 0, 0, 0)
"""A zip knows no earlier time."""


class _Buffer:
    """What a zip file has written and nobody has taken yet."""

    def __init__(self) -> None:
        self._data = bytearray()

    def write(self, data: bytes) -> int:
        self._data += data
        return len(data)

    def flush(self) -> None:
        """Nothing is held back here."""

    def take(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data


@dataclass(frozen=True)
class Packed:
    """One file of a zip that is made while it is sent."""

    name: str
    """Any: it is made safe."""
    pieces: Iterable[bytes]
    made_at_s: float = field(default_factory=time.time)
    mode: int = 0o644


def zip_pieces(gzipped: bytes) -> Iterator[bytes]:
    """Every regular file of a workspace's archive; links are left out, since they might lead
    anywhere where it is unpacked."""
    return pack(files_in(gzipped))


def files_in(gzipped: bytes, folder: str = "") -> Iterator[Packed]:
    """What `zip_pieces` packs, below a folder: each to be read before the next."""
    for info, content in stream_entries(gzipped):
        yield Packed(f"{folder}{info.name}", _pieces_of(content), info.mtime, info.mode)


def _pieces_of(content: IO[bytes]) -> Iterator[bytes]:
    while piece := content.read(PIECE_BYTES):
        yield piece


def pack(files: Iterable[Packed]) -> Iterator[bytes]:
    """The zip as it grows. Names that clash, or that some system can't unpack, are changed."""
    buffer = _Buffer()
    taken: set[str] = set()
    with zipfile.ZipFile(cast(IO[bytes], buffer), "w", zipfile.ZIP_DEFLATED) as target:
        for packed in files:
            name = safe_name(packed.name, taken)
            taken.add(name.lower())
            with target.open(_described(name, packed.made_at_s, packed.mode), "w") as file:
                for piece in packed.pieces:
                    file.write(piece)
                    yield buffer.take()
            yield buffer.take()
    yield buffer.take()


def safe_name(name: str, taken: set[str]) -> str:
    """A name that every system can unpack: no roots, no drives, no control characters, no twins."""
    parts = [_safe_part(part) for part in name.split("/") if part not in ("", ".", "..")]
    wanted = "/".join(parts) or "_"
    return f"{wanted}~{_free_number(wanted, taken)}" if wanted.lower() in taken else wanted


def _free_number(wanted: str, taken: set[str]) -> int:
    """Found in few steps, however many thousand files somebody made for one name."""
    used, free = 1, 2
    while f"{wanted}~{free}".lower() in taken:
        used, free = free, free * 2
    while free - used > 1:
        middle = (used + free) // 2
        if f"{wanted}~{middle}".lower() in taken:
            used = middle
        else:
            free = middle
    return free


def _safe_part(part: str) -> str:
    text = part.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    clean = "".join("_" if _is_odd(char) else char for char in text).rstrip(". ")
    return clean or "_"


def _is_odd(char: str) -> bool:
    return char in '<>:"\\|?*' or not char.isprintable()


def _described(name: str, mtime: float, mode: int) -> zipfile.ZipInfo:
    made = max(OLDEST, tuple(time.gmtime(min(mtime, LATEST_S))[:6]))
    info = zipfile.ZipInfo(name, made)  # type: ignore[arg-type] # six numbers
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100000 | mode & 0o777) << 16
    return info
